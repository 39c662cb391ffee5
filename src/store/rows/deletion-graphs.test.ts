/**
 * Deletion rules as properties: random small graphs of references, compared with a plain model of
 * `deletion.ts`.
 *
 * The model determines which records are deleted, which references are cleared, and what blocks the
 * deletion. Each record is reported once.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc, times } from "../../../test/fixed-seed.ts";
import type { Frame, RecordValue } from "../../expressions/value.ts";
import type { FieldRule } from "../../fields/rule.ts";
import { Conflict, type DeletedRecord, type Store } from "../store.ts";
import { openStore } from "../index.ts";
import { statementOf } from "../test-files.ts";
import { meaningOf } from "../../model/meaning.ts";
import { field, model, resource } from "../test-model.ts";

const frame = {} as Frame;
const names = ["A", "B", "C"] as const;
type Name = (typeof names)[number];

interface Reference {
  readonly name: string;
  readonly to: Name;
  readonly onDelete: "cascade" | "restrict" | "clear" | "nothing said";
}

interface Graph {
  readonly marked: Readonly<Record<Name, boolean>>;
  readonly references: Readonly<Record<Name, readonly Reference[]>>;
  /** The records, by index. `refers` has a random target, or none, for each reference. */
  readonly records: readonly { readonly name: Name; readonly refers: readonly (number | null)[] }[];
  readonly marks: readonly number[];
  readonly first: number;
}

const reference = (at: number): fc.Arbitrary<Reference> =>
  fc.record({
    name: fc.constant(`to${at}`),
    to: fc.constantFrom(...names),
    onDelete: fc.constantFrom("cascade", "cascade", "clear", "clear", "restrict", "nothing said"),
  });

const references = fc
  .integer({ min: 0, max: 3 })
  .chain((count) => fc.tuple(...[...Array(count).keys()].map(reference)));
const ofEach = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<Record<Name, T>> =>
  fc.record({ A: arbitrary, B: arbitrary, C: arbitrary });
const place = fc.integer({ min: 0, max: 5 });

const graph: fc.Arbitrary<Graph> = fc.record({
  marked: ofEach(fc.boolean()),
  references: ofEach(references),
  records: fc.array(
    fc.record({
      name: fc.constantFrom(...names),
      refers: fc.array(fc.option(place, { freq: 4 }), { minLength: 3, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  /** Records that were deleted before. */
  marks: fc.array(place, { maxLength: 1 }),
  first: place,
});

const idOf = (at: number) => `r${at}`;

/**
 * The index of the record to which a reference leads. The random number selects one of the target
 * resource's records.
 */
function targetOf({ records, references }: Graph, at: number, { name, to }: Reference): number | undefined {
  const record = records[at];
  const drawn = record?.refers[references[record.name].findIndex((candidate) => candidate.name === name)];
  const possible = [...records.keys()].filter((place) => records[place]?.name === to);
  return typeof drawn === "number" ? possible[drawn % possible.length] : undefined;
}

async function filled(store: Store, graph: Graph): Promise<RecordValue[]> {
  const { records, references } = graph;
  return store.write(async (transaction) => {
    const made: RecordValue[] = [];
    for (const [at, { name }] of records.entries())
      made.push(await transaction.insert(name, { id: idOf(at) }));
    for (const [at, { name }] of records.entries()) {
      const changes: Record<string, string> = {};
      for (const item of references[name]) {
        const target = targetOf(graph, at, item);
        if (target !== undefined) changes[item.name] = idOf(target);
      }
      made[at] = await transaction.update(name, made[at] as RecordValue, changes);
    }
    return made;
  });
}

interface State {
  readonly alive: readonly boolean[];
  /** Whether a record was deleted completely, and not only marked. */
  readonly gone: readonly boolean[];
  /** The targets of each record, by the names of its references. */
  readonly refers: readonly ReadonlyMap<string, number>[];
}

type Outcome = readonly [place: number, what: "deleted" | "changed"];

/** The deletion rules, written a second time as plainly as possible. */
function expected(
  graph: Graph,
  state: State,
  first: number,
): { state: State; result: readonly Outcome[] } | "in use" {
  const { records, references, marked } = graph;
  const nameOf = (at: number) => (records[at] as Graph["records"][number]).name;
  const all = [...records.keys()];
  const referring = (to: number, kinds: readonly Reference["onDelete"][]) =>
    all.flatMap((at) =>
      state.gone[at]
        ? []
        : references[nameOf(at)]
            .filter(
              (candidate) =>
                kinds.includes(candidate.onDelete) && state.refers[at]?.get(candidate.name) === to,
            )
            .map((item) => [at, item.name] as const),
    );
  const doomed = new Set([first]);
  for (const item of doomed)
    for (const [at] of referring(item, ["cascade"])) if (state.alive[at]) doomed.add(at);
  for (const item of doomed) {
    const kinds = marked[nameOf(item)] ? (["restrict"] as const) : (["restrict", "nothing said"] as const);
    if (referring(item, kinds).some(([at]) => !doomed.has(at))) return "in use";
  }
  const refers = state.refers.map((refer) => new Map(refer));
  const changed = new Set<number>();
  for (const item of doomed) {
    for (const [at, name] of referring(item, ["clear"]))
      if (!doomed.has(at)) {
        refers[at]?.delete(name);
        changed.add(at);
      }
    // A record that is only marked as deleted keeps its references. Of its references to erased
    // records, only `cascade` ones stay.
    if (marked[nameOf(item)]) continue;
    for (const [at, name] of referring(item, ["clear", "restrict", "nothing said"]))
      if (doomed.has(at)) refers[at]?.delete(name);
  }
  const result = [
    ...[...doomed].map((at): Outcome => [at, "deleted"]),
    ...[...changed].map((at): Outcome => [at, "changed"]),
  ];
  return {
    result,
    state: {
      alive: all.map((at) => state.alive[at] === true && !doomed.has(at)),
      gone: all.map((at) => state.gone[at] === true || (doomed.has(at) && !marked[nameOf(at)])),
      refers,
    },
  };
}

const placeOf = ({ before }: DeletedRecord) => Number(String(before["id"]).slice(1));
const reportOf = (all: readonly DeletedRecord[]): Outcome[] =>
  all.map((deletedRecord) => [placeOf(deletedRecord), deletedRecord.deleted ? "deleted" : "changed"]);
const inOrder = (result: readonly Outcome[]) => result.map((outcome) => outcome.join(" ")).sort();

async function checkDeletion(store: Store, graph: Graph, records: RecordValue[], state: State, at: number) {
  const { name } = graph.records[at] as Graph["records"][number];
  const right = expected(graph, state, at);
  const deleting = store.write((transaction) => transaction.delete(name, records[at] as RecordValue));
  if (right === "in use") {
    await assert.rejects(deleting, (error) => error instanceof Conflict && error.kind === "in use");
    return state;
  }
  const gone = await deleting;
  assert.deepEqual(inOrder(reportOf(gone)), inOrder(right.result));
  for (const deletedRecord of gone)
    if (deletedRecord.after) records[placeOf(deletedRecord)] = deletedRecord.after;
  for (const table of names) {
    const ids = await store.session.value(
      statementOf(`SELECT string_agg(id, ' ' ORDER BY id) FROM "${table}"`),
      frame,
    );
    const stay: readonly string[] = graph.records.flatMap((record, place) =>
      record.name === table && !right.state.gone[place] ? [idOf(place)] : [],
    );
    assert.equal(ids ?? "", stay.join(" "));
    for (const item of graph.references[table])
      for (const id of stay) {
        const place = Number(id.slice(1));
        const target: number | undefined = right.state.refers[place]?.get(item.name);
        const held = await store.session.value(
          statementOf(`SELECT "${item.name}" FROM "${table}" WHERE id = '${id}'`),
          frame,
        );
        assert.equal(held, target === undefined ? null : idOf(target), `${table} ${place}.${item.name}`);
      }
  }
  for (const table of names)
    for (const { name: own, to, onDelete } of graph.references[table]) {
      // A record that was deleted with its target, and is only marked, keeps this reference.
      if (onDelete === "cascade" && graph.marked[table]) continue;
      const lost = `"${own}" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "${to}" AS t WHERE t.id = r."${own}")`;
      const dangling = statementOf(`SELECT count(*) FROM "${table}" AS r WHERE ${lost}`);
      assert.equal(Number(await store.session.value(dangling, frame)), 0, `${table}.${own}`);
    }
  return right.state;
}

test("a deletion deletes, clears and rejects by the rules, and reports each record once", async () => {
  await fc.assert(
    fc.asyncProperty(graph, async (graph) => {
      const resources = names.map((name) => {
        const fields = graph.references[name].map(({ name: own, to, onDelete }) => {
          const rules: FieldRule[] =
            onDelete === "nothing said" ? [] : [{ rule: "on delete", then: onDelete }];
          return field(own, { kind: "reference", resource: to }, { rules });
        });
        return resource(name, fields, { deleted: graph.marked[name] ? "marked" : "removed" });
      });
      const tables = model(resources);
      const store = await openStore(tables, meaningOf(tables), { path: ":memory:" });
      const records = await filled(store, graph);
      let state: State = {
        alive: records.map(() => true),
        gone: records.map(() => false),
        refers: records.map((_, at) => {
          const { name } = graph.records[at] as Graph["records"][number];
          return new Map(
            graph.references[name].flatMap((item) => {
              const target = targetOf(graph, at, item);
              return target === undefined ? [] : [[item.name, target] as const];
            }),
          );
        }),
      };
      for (const at of [...graph.marks, graph.first])
        if (state.alive[at]) state = await checkDeletion(store, graph, records, state, at);
      await store.close();
    }),
    { numRuns: times(300) },
  );
});
