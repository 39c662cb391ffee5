/**
 * The content of the picture as tables: transitions with their conditions, and states with their
 * numbers of records.
 */
import type { ComponentChildren, VNode } from "preact";
import type { ResourceStates, TransitionResponse } from "../../../../src/admin/api/records/states.ts";
import { Chip } from "../../parts/chip.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { parameter } from "../../routing/address.ts";
import { numberText, t } from "../../words/words.ts";
import { firedCounts } from "./flow.ts";
import { linkToRecords, linkToTransition } from "./links.ts";

type End = TransitionResponse["ends"][number];

/** One end of a transition; the counts are of the whole transition, in its first row. */
interface EndRow {
  readonly transition: TransitionResponse;
  readonly end: End;
  readonly at: number;
}

export function TransitionsTable({ resource }: { readonly resource: ResourceStates }): VNode {
  const rows = resource.transitions.flatMap((transition) =>
    differentEnds(transition).map((end, at): EndRow => ({ transition, end, at })),
  );
  const fired = ({ transition, at }: EndRow, of: "minute" | "hour") =>
    at === 0 ? numberText(firedCounts(resource, transition.name)[of]) : "";
  const columns: readonly Column<EndRow>[] = [
    { name: "transition", head: t("states.transition"), cell: nameOf, wraps: true },
    { name: "way", head: t("states.fromTo"), cell: ({ end }) => endText(end), width: "34%", wraps: true },
    { name: "trigger", head: t("states.trigger"), cell: ({ end }) => triggerWords(end), wraps: true },
    ...(rows.some(({ end }) => end.guard !== null) ? [guardColumn] : []),
    {
      name: "minute",
      head: t("states.lastMinute"),
      cell: (row) => fired(row, "minute"),
      align: "end",
      width: "104px",
    },
    {
      name: "hour",
      head: t("states.lastHour"),
      cell: (row) => fired(row, "hour"),
      align: "end",
      width: "104px",
    },
  ];
  return (
    <Table
      label={t("states.table", { resource: resource.name })}
      columns={columns}
      rows={rows}
      keyOf={({ transition, at }) => (at === 0 ? transition.name : `${transition.name} ${at}`)}
      linkOf={({ transition }) => linkToTransition(resource, transition.name)}
      selectedKey={parameter("transition")}
    />
  );
}

function nameOf({ transition }: EndRow): VNode {
  return <code>{transition.name}</code>;
}

const guardColumn: Column<EndRow> = {
  name: "guard",
  head: t("states.guard"),
  wraps: true,
  cell: ({ end }) => end.guard !== null && <code>{end.guard.text}</code>,
};

/** Removes duplicates: several ends of one transition often have the same text. */
function differentEnds({ ends }: TransitionResponse): readonly End[] {
  return [
    ...new Map(ends.map((end) => [JSON.stringify([end.from, end.to, end.when, end.guard]), end])).values(),
  ];
}

export function endText({ from, to }: End): VNode {
  return (
    <>
      {from === null ? t("states.anyState") : from.join(", ")} → {to ?? t("states.same")}
    </>
  );
}

export function triggerWords({ trigger, when }: End): ComponentChildren {
  switch (trigger) {
    case "call":
      return t("states.byCall");
    case "immediately":
      return t("states.atOnce");
    case "not shown":
      return <Chip tone="gap">{t("states.notShown")}</Chip>;
    default:
      return t("states.byItself", { when });
  }
}

interface StateRow {
  readonly name: string;
  readonly initial: boolean;
  readonly final: boolean;
  readonly count: number | undefined;
}

export function StatesTable({ resource }: { readonly resource: ResourceStates }): VNode {
  const { counts } = resource;
  const rows: readonly StateRow[] = resource.states.map((state) => ({
    ...state,
    count: counts === null ? undefined : (counts.states[state.name] ?? 0),
  }));
  const columns: readonly Column<StateRow>[] = [
    { name: "state", head: t("states.state"), cell: ({ name }) => name },
    {
      name: "kind",
      head: t("states.kind"),
      cell: ({ initial, final }) => [
        initial && <Chip tone="info">{t("states.initial")}</Chip>,
        final && <Chip>{t("states.final")}</Chip>,
      ],
    },
    {
      name: "records",
      head: t("states.records"),
      cell: ({ count }) => (count === undefined ? t("states.counting") : numberText(count)),
      align: "end",
      width: "160px",
    },
  ];
  return (
    <>
      <Table
        label={t("states.statesTable", { resource: resource.name })}
        columns={columns}
        rows={rows}
        keyOf={({ name }) => name}
        linkOf={({ name }) => linkToRecords(resource, name)}
      />
      {counts !== null && counts.none > 0 && (
        <p class="muted">
          {t("states.without")}: {numberText(counts.none)}
        </p>
      )}
    </>
  );
}
