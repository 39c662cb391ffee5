/**
 * The tables that statements read and write, as SQLite reports them when it prepares a statement (`setAuthorizer`),
 * so that no code of ours can be wrong about it. Import it before a store is opened. The store's internal tables
 * (`ninefold_…`) and the database's are left out.
 */
import { constants, DatabaseSync, StatementSync } from "node:sqlite";

/** The statements of the traced work. */
export interface Trace {
  /** The tables that were read, with the rows as far as the results show them. */
  readonly reads: Map<string, Set<number | null>>;
  readonly writes: Set<string>;
}

interface Touches {
  readonly reads: Set<string>;
  readonly writes: Set<string>;
}

const ofStatement = new WeakMap<StatementSync, Touches>();
const watched = new WeakSet<DatabaseSync>();
let preparing: Touches | undefined;
let current: Trace | undefined;

const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...requested) {
  if (!watched.has(this)) {
    watched.add(this);
    this.setAuthorizer((action, table) => {
      if (table !== null && isOfRecords(table)) {
        if (action === constants.SQLITE_READ) preparing?.reads.add(table);
        if (writing.has(action)) preparing?.writes.add(table);
      }
      return constants.SQLITE_OK;
    });
  }
  const touches: Touches = { reads: new Set(), writes: new Set() };
  preparing = touches;
  try {
    const statement = prepare.apply(this, requested);
    ofStatement.set(statement, touches);
    return statement;
  } finally {
    preparing = undefined;
  }
};

const writing: ReadonlySet<number> = new Set([
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
]);

function isOfRecords(table: string): boolean {
  return !/^(ninefold|sqlite)_/.test(table);
}

for (const name of ["all", "get", "run", "iterate"] as const) {
  const original = StatementSync.prototype[name] as (this: StatementSync, ...requested: unknown[]) => unknown;
  Object.assign(StatementSync.prototype, {
    [name](this: StatementSync, ...requested: unknown[]): unknown {
      const answer = original.apply(this, requested);
      note(this, answer);
      return answer;
    },
  });
}

function note(statement: StatementSync, answer: unknown): void {
  const touches = ofStatement.get(statement);
  if (!current || !touches) return;
  for (const table of touches.writes) current.writes.add(table);
  // A writing statement reads keys to check references. That is a constraint of the store, which
  // deletes handle.
  if (touches.writes.size > 0) return;
  for (const table of touches.reads) {
    const rows = current.reads.get(table) ?? new Set();
    current.reads.set(table, rows);
    for (const row of rowsOf(statement, table, answer)) rows.add(row);
  }
}

/**
 * The rows of a result, if each of its rows shows its number; null otherwise: a count, a value, a
 * condition.
 */
function rowsOf(statement: StatementSync, table: string, answer: unknown): readonly (number | null)[] {
  const at = statement.columns().findIndex((column) => column.table === table && column.column === "#row");
  if (at < 0) return [null];
  const rows = Array.isArray(answer) && Array.isArray(answer[0]) ? answer : answer ? [answer] : [];
  return rows.map((row: unknown) => (Array.isArray(row) ? Number(row[at]) : null));
}

/** Traces the statements of the work; nothing else may run meanwhile. */
export async function traced(work: () => Promise<unknown>): Promise<Trace> {
  const trace: Trace = { reads: new Map(), writes: new Set() };
  current = trace;
  try {
    await work();
  } finally {
    current = undefined;
  }
  return trace;
}
