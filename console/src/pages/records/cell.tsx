/** A value as a table cell: by its type, on one line. Numbers keep all their digits. */
import type { VNode } from "preact";
import type { StoredRecordResponse } from "../../../../src/admin/api/records/record-responses.ts";
import type { FieldResponse } from "../../../../src/admin/api/records/resources.ts";
import { Chip } from "../../parts/chip.tsx";
import { Time } from "../../parts/time.tsx";
import { t } from "../../words/words.ts";
import { recordLink } from "./filter-state.ts";

type Value = StoredRecordResponse["fields"][string];

export function Cell({
  field,
  record,
  isLink = true,
}: {
  readonly field: FieldResponse;
  readonly record: StoredRecordResponse;
  /** Whether the cell is inside a link, so that it can't contain one. */
  readonly isLink?: boolean;
}): VNode {
  const value = record.fields[field.name] ?? null;
  const reference = record.references[field.name];
  if (reference) {
    const words = reference.label ?? reference.id;
    if (!isLink) return <span>{words}</span>;
    return (
      <a href={recordLink(reference.resource, reference.id)} title={reference.id}>
        {words}
      </a>
    );
  }
  return <Plain field={field} value={value} isCut={record.cut.includes(field.name)} />;
}

export function Plain({
  field: { type },
  value,
  isCut = false,
}: {
  readonly field: Pick<FieldResponse, "type">;
  readonly value: Value;
  readonly isCut?: boolean;
}): VNode {
  if (value === null) return <span class="nothing">{t("records.nothing")}</span>;
  if (isCut) return <span title={`${String(value)}…`}>{`${String(value)}…`}</span>;
  switch (type.kind) {
    case "state":
      return <Chip tone="info">{String(value)}</Chip>;
    case "enum":
      return <Chip>{String(value)}</Chip>;
    case "boolean":
      return <span>{t(value === true ? "records.yes" : "records.no")}</span>;
    case "timestamp":
      return <Time at={String(value)} />;
    case "string":
      return value === "" ? (
        <span class="nothing">{t("records.emptyText")}</span>
      ) : (
        <span title={String(value)}>{String(value)}</span>
      );
    default:
      if (typeof value === "object")
        return <code title={JSON.stringify(value)}>{JSON.stringify(value)}</code>;
      return (
        <span
          class={typeof value === "number" || type.kind === "decimal" ? "number" : ""}
          title={String(value)}
        >
          {String(value)}
        </span>
      );
  }
}

/** Numbers are right-aligned. */
export function isNumeric({ type }: FieldResponse): boolean {
  return ["integer", "number", "decimal"].includes(type.kind);
}
