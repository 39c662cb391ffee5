/**
 * The columns of a table: those in the URL if the user has chosen them; otherwise the first ones
 * that fit a line.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { FieldResponse, ResourceResponse } from "../../../../src/admin/api/records/resources.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { parameter, setParameters } from "../../routing/address.ts";
import { t } from "../../words/words.ts";

/** The number of columns that are shown by default. */
const columnsStandard = 8;
/** For these types a cell would show the start of some JSON. */
const withParts = new Set(["list", "map", "value", "object", "json", "not shown"]);

/**
 * The identifier first, then the record's label, its state, and the other fields in the document's
 * order.
 */
export function visibleColumns(resource: ResourceResponse): readonly FieldResponse[] {
  const available = resource.fields.filter(({ hidden }) => !hidden);
  const requested = parameter("columns")?.split(",");
  const place = (field: FieldResponse) =>
    resource.identifier.includes(field.name)
      ? 0
      : field.name === resource.label
        ? 1
        : field.name === resource.state
          ? 2
          : 3;
  const ordered = available.toSorted((a, b) => place(a) - place(b));
  const selected = requested && ordered.filter(({ name }) => requested.includes(name));
  if (selected && selected.length > 0) return selected;
  return ordered.filter(({ type }) => !withParts.has(type.kind)).slice(0, columnsStandard);
}

export function ColumnsButton({ resource }: { readonly resource: ResourceResponse }): VNode {
  const [isOpen, setOpen] = useState(false);
  const visibleNames = visibleColumns(resource).map(({ name }) => name);
  const choose = (name: string, isVisible: boolean) => {
    const names = isVisible ? [...visibleNames, name] : visibleNames.filter((shown) => shown !== name);
    if (names.length > 0) setParameters({ columns: names.join(",") }, { replaces: true });
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
            <button type="button" onClick={() => setParameters({ columns: undefined }, { replaces: true })}>
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
                      checked={visibleNames.includes(name)}
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
