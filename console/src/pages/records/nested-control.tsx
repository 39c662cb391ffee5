/**
 * Controls for values with parts: an object by its members, a list or a map element by element. A
 * value with a type needs no JSON; a button switches to JSON to paste a value.
 */
import type { ComponentChildren, VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { type ControlProperties, Field } from "../../parts/field.tsx";
import { t } from "../../words/words.ts";
import { Control, fieldHint, type Json, readJson, textOf, type Type, typedValue } from "./control.tsx";

interface NestedProperties {
  readonly name: string;
  readonly type: Type;
  /** The value as JSON. */
  readonly text: string;
  readonly change: (text: string) => void;
  readonly control: ControlProperties;
  /** Whether it is inside another value, which has the switch to JSON. */
  readonly isInner: boolean;
}

type Members = Readonly<Record<string, Json>>;

/** Whether a value of this type has its own controls; false if its text has another form. */
export function isNested(type: Type, text: string): boolean {
  const value = text === "" ? null : readJson(text);
  switch (type.kind) {
    case "object":
    case "value":
      return type.members !== undefined && (value === null || membersIn(value) !== undefined);
    case "map":
      return (
        type.item !== undefined &&
        (value === null || hasNoNull(Object.values(membersIn(value) ?? { "": null })))
      );
    case "list":
      return type.item !== undefined && (value === null || hasNoNull(itemsIn(value) ?? [null]));
    default:
      return false;
  }
}

function hasNoNull(values: readonly Json[]): boolean {
  return values.every((value) => value !== null);
}

function itemsIn(value: Json | undefined): readonly Json[] | undefined {
  return isList(value) ? value : undefined;
}

function membersIn(value: Json | undefined): Members | undefined {
  return typeof value === "object" && value !== null && !isList(value) ? value : undefined;
}

/** `Array.isArray` doesn't narrow readonly arrays. */
function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

const format = (value: Json) => JSON.stringify(value, null, 2);

export function NestedControl(properties: NestedProperties): VNode {
  const { name, type, text, change, control, isInner } = properties;
  const [isJson, setJson] = useState(false);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the field around it has the name already.
    <div
      class="nested"
      id={control.id}
      role="group"
      aria-label={name}
      aria-describedby={control["aria-describedby"]}
    >
      {isJson ? (
        <textarea
          aria-label={t("records.asJson", { field: name })}
          rows={Math.min(12, 2 + text.split("\n").length)}
          spellcheck={false}
          value={text}
          onInput={(event) => change(event.currentTarget.value)}
        />
      ) : type.kind === "list" ? (
        <Items {...properties} />
      ) : type.kind === "map" ? (
        <Entries {...properties} />
      ) : (
        <MemberFields {...properties} />
      )}
      {!isInner && (
        <button
          type="button"
          class="quiet small nested-switch"
          aria-pressed={isJson}
          aria-label={t("records.asJson", { field: name })}
          disabled={isJson && !isNested(type, text)}
          onClick={() => setJson(!isJson)}
        >
          {t("records.json")}
        </button>
      )}
    </div>
  );
}

function MemberFields({ name, type, text, change }: NestedProperties): VNode {
  const value = membersIn(readJson(text)) ?? {};
  const put = (member: string, next: Json) => {
    const { [member]: _, ...others } = value;
    const all = next === null ? others : { ...others, [member]: next };
    change(Object.keys(all).length === 0 ? "" : format(all));
  };
  return (
    <>
      {(type.members ?? []).map((member) => {
        const memberText = textOf(value[member.name], member.type);
        return (
          <Field
            key={member.name}
            label={<code>{member.name}</code>}
            hint={fieldHint(member, memberText)}
            isRequired={member.required}
          >
            {(control) => (
              <Part
                name={`${name}.${member.name}`}
                type={member.type}
                value={value[member.name]}
                change={(next) => put(member.name, next)}
                control={{ ...control, required: false }}
              />
            )}
          </Field>
        );
      })}
    </>
  );
}

/** One value inside another. A text that isn't valid JSON yet stays in the control. */
function Part({
  name,
  type,
  value,
  change,
  control,
}: {
  readonly name: string;
  readonly type: Type;
  readonly value: Json | undefined;
  readonly change: (value: Json) => void;
  readonly control: ControlProperties;
}): VNode {
  const [unread, setUnread] = useState<string>();
  return (
    <Control
      name={name}
      type={type}
      text={unread ?? textOf(value, type)}
      change={(next) => {
        const parsed = typedValue(next, type);
        setUnread(parsed === undefined ? next : undefined);
        if (parsed !== undefined) change(parsed);
      }}
      control={control}
      isInner
    />
  );
}

/** The displayed elements, including empty ones that the text doesn't have. */
function useDraft<Element>(
  text: string,
  read: () => readonly Element[],
  write: (all: readonly Element[]) => string,
) {
  const [draft, setDraft] = useState({ text, elements: read() });
  // The text was filled in from elsewhere.
  const elements = draft.text === text ? draft.elements : read();
  return {
    elements,
    set(next: readonly Element[], change: (text: string) => void) {
      const formatted = write(next);
      setDraft({ text: formatted, elements: next });
      change(formatted);
    },
  };
}

function Items({ name, type, text, change }: NestedProperties): VNode {
  const item = type.item ?? { kind: "json" };
  const { elements, set } = useDraft<Json>(
    text,
    () => itemsIn(readJson(text)) ?? [],
    (all) => format(all.filter((element) => element !== null)),
  );
  return (
    <>
      {elements.map((value, at) => (
        <Element
          key={at}
          label={t("records.item", { number: String(at + 1) })}
          remove={() => set(elements.toSpliced(at, 1), change)}
        >
          {(control) => (
            <Part
              name={`${name}[${at}]`}
              type={item}
              value={value}
              change={(next) => set(elements.with(at, next), change)}
              control={control}
            />
          )}
        </Element>
      ))}
      <button type="button" class="small nested-add" onClick={() => set([...elements, null], change)}>
        {t("records.addItem")}
      </button>
    </>
  );
}

function Entries({ name, type, text, change }: NestedProperties): VNode {
  const item = type.item ?? { kind: "json" };
  const { elements, set } = useDraft<readonly [key: string, value: Json]>(
    text,
    () => Object.entries(membersIn(readJson(text)) ?? {}),
    (all) => format(Object.fromEntries(all.filter(([key, value]) => key !== "" && value !== null))),
  );
  return (
    <>
      {elements.map(([key, value], at) => (
        <Element
          key={at}
          label={t("records.entry", { number: String(at + 1) })}
          remove={() => set(elements.toSpliced(at, 1), change)}
        >
          {(control) => (
            <>
              <input
                type="text"
                autocomplete="off"
                spellcheck={false}
                aria-label={t("records.entryKey", { number: String(at + 1) })}
                placeholder={t("records.key")}
                value={key}
                onInput={(event) => set(elements.with(at, [event.currentTarget.value, value]), change)}
              />
              <Part
                name={`${name}.${key}`}
                type={item}
                value={value}
                change={(next) => set(elements.with(at, [key, next]), change)}
                control={control}
              />
            </>
          )}
        </Element>
      ))}
      <button type="button" class="small nested-add" onClick={() => set([...elements, ["", null]], change)}>
        {t("records.addEntry")}
      </button>
    </>
  );
}

function Element({
  label,
  remove,
  children,
}: {
  readonly label: string;
  readonly remove: () => void;
  readonly children: (control: ControlProperties) => ComponentChildren;
}): VNode {
  const id = useId();
  return (
    <div class="nested-element">
      <div class="nested-head">
        <label for={id}>{label}</label>
        <button
          type="button"
          class="quiet small"
          aria-label={t("records.removeItem", { item: label })}
          onClick={remove}
        >
          {t("records.remove")}
        </button>
      </div>
      {children({ id, "aria-describedby": undefined, "aria-invalid": undefined, required: false })}
    </div>
  );
}
