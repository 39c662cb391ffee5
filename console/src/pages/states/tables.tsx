/** What the picture shows, as tables: transitions with what they need, and states with how many records are in each. */
import type { ComponentChildren, VNode } from "preact";
import type { ResourceStates, TransitionResponse } from "../../../../src/admin/api/states.ts";
import { Chip } from "../../parts/chip.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { parameter } from "../../routing/address.ts";
import { numberText, t } from "../../words/words.ts";
import { takenOf } from "./flow.ts";
import { linkToRecords, linkToTransition } from "./links.ts";

type End = TransitionResponse["ends"][number];

export function TransitionsTable({ shown }: { readonly shown: ResourceStates }): VNode {
  const taken = (transition: TransitionResponse, of: "minute" | "hour") =>
    numberText(takenOf(shown, transition.name)[of]);
  const hasGuards = shown.transitions.some(({ ends }) => ends.some(({ guard }) => guard !== null));
  const columns: readonly Column<TransitionResponse>[] = [
    { name: "transition", head: t("states.transition"), cell: ({ name }) => <code>{name}</code> },
    { name: "way", head: t("states.fromTo"), cell: ({ ends }) => eachEnd(ends, wayWords), width: "34%" },
    { name: "trigger", head: t("states.trigger"), cell: ({ ends }) => eachEnd(ends, triggerWords) },
    ...(hasGuards ? [guardColumn] : []),
    {
      name: "minute",
      head: t("states.lastMinute"),
      cell: (one) => taken(one, "minute"),
      align: "end",
      width: "104px",
    },
    {
      name: "hour",
      head: t("states.lastHour"),
      cell: (one) => taken(one, "hour"),
      align: "end",
      width: "104px",
    },
  ];
  return (
    <Table
      label={t("states.table", { resource: shown.name })}
      columns={columns}
      rows={shown.transitions}
      keyOf={({ name }) => name}
      linkOf={({ name }) => linkToTransition(shown, name)}
      chosen={parameter("transition")}
    />
  );
}

const guardColumn: Column<TransitionResponse> = {
  name: "guard",
  head: t("states.guard"),
  cell: ({ ends }) =>
    eachEnd(
      ends.filter(({ guard }) => guard !== null),
      ({ guard }) => <code>{guard?.text}</code>,
    ),
};

function eachEnd(ends: readonly End[], words: (end: End) => ComponentChildren): VNode {
  // Several ends of one transition often say the same.
  const seen = new Map(ends.map((end) => [JSON.stringify([end.from, end.to, end.when, end.guard]), end]));
  return (
    <span class="ends">
      {[...seen].map(([key, end]) => (
        <span key={key}>{words(end)}</span>
      ))}
    </span>
  );
}

export function wayWords({ from, to }: End): VNode {
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
      return <Chip tone="warn">{t("states.notShown")}</Chip>;
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

export function StatesTable({ shown }: { readonly shown: ResourceStates }): VNode {
  const { counts } = shown;
  const rows: readonly StateRow[] = shown.states.map((state) => ({
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
        label={t("states.statesTable", { resource: shown.name })}
        columns={columns}
        rows={rows}
        keyOf={({ name }) => name}
        linkOf={({ name }) => linkToRecords(shown, name)}
      />
      {counts !== null && counts.none > 0 && (
        <p class="muted">
          {t("states.without")}: {numberText(counts.none)}
        </p>
      )}
    </>
  );
}
