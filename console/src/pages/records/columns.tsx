/**
 * The columns of a table: those in the URL if the user has chosen them; otherwise the first ones
 * that fit a line.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { FieldResponse, ResourceResponse } from "../../../../src/admin/api/resources.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { parameter, say } from "../../routing/address.ts";
import { t } from "../../words/words.ts";

/** The number of columns that are shown by default. */
const columnsStandard = 8;
/** For these types a cell would show the start of some JSON. */
const withParts = new Set(["list", "map", "value", "object", "json", "not shown"]);

/**
 * The identifier first, then the record's label, its state, and the other fields in the document's
 * order.
 */
export function columnsShown(resource: ResourceResponse): readonly FieldResponse[] {
  const shown = resource.fields.filter(({ hidden }) => !hidden);
  const said = parameter("columns")?.split(",");
  const place = (field: FieldResponse) =>
    resource.identifier.includes(field.name)
      ? 0
      : field.name === resource.label
        ? 1
        : field.name === resource.state
          ? 2
          : 3;
  const ordered = shown.toSorted((a, b) => place(a) - place(b));
  const chosen = said && ordered.filter(({ name }) => said.includes(name));
  if (chosen && chosen.length > 0) return chosen;
  return ordered.filter(({ type }) => !withParts.has(type.kind)).slice(0, columnsStandard);
}

export function ColumnsButton({ resource }: { readonly resource: ResourceResponse }): VNode {
  const [isOpen, setOpen] = useState(false);
  const shown = columnsShown(resource).map(({ name }) => name);
  const choose = (name: string, isShown: boolean) => {
    const names = isShown ? [...shown, name] : shown.filter((one) => one !== name);
    if (names.length > 0) say({ columns: names.join(",") }, { replaces: true });
  };
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        {t("records.columns")}
      </button>
      {isOpen && (
        <Dialog
          title={t("records.columns")}
          close={() => setOpen(false)}
          actions={
            <button type="button" onClick={() => say({ columns: undefined }, { replaces: true })}>
              {t("records.columnsStandard")}
            </button>
          }
        >
          <ul class="plain column-choice">
            {resource.fields
              .filter(({ hidden }) => !hidden)
              .map(({ name, type }) => (
                <li key={name}>
                  <label class="check">
                    <input
                      type="checkbox"
                      checked={shown.includes(name)}
                      onChange={(event) => choose(name, event.currentTarget.checked)}
                    />
                    <code>{name}</code> <span class="muted">{type.kind}</span>
                  </label>
                </li>
              ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}
