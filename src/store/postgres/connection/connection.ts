/** PostgreSQL connection: settings, prepared statements and pipelining over the driver `pg`. */
import pg from "pg";
import type { StatementResult, BoundStatement, Row, Statement } from "../../rows/steps.ts";
import { CopyIn } from "./copy-in.ts";
import { quoted } from "../../sql/fragment.ts";
import type { PostgresAddress } from "./address.ts";
import { StandbyAnswers, ConnectionTimeout } from "./failures.ts";
import { resultTypes } from "../statements/forms.ts";
import { AdvisoryLocks, type SessionLocks, TableLocks } from "./session-locks.ts";
import { TickTransactions } from "./transaction-pooling.ts";
import { NotExecuted, type Bound, type QueuedStatement, type Shape, Pipeline } from "./pipeline.ts";
import { machine } from "../../../support/machine.ts";

export interface ConnectionOptions {
  /** Whether statements are sent before earlier ones are answered. */
  readonly pipelines: boolean;
  /** The statement timeout in milliseconds; 0 for none. */
  readonly statementMs: number;
  /** How long after a statement's timeout the server may stay silent, in milliseconds. */
  readonly silenceMs?: number;
  /** The server ends the session after this time without a statement, in milliseconds. */
  readonly idleMs?: number;
  /** No statement is part of a transaction, so one that another's failure skipped is sent again. */
  readonly isAutocommit?: boolean;
  /** Whether the session must outlast a transaction, as for a lock. It bypasses a pooler. */
  readonly needsSession?: boolean;
  /** Whether the server may be a standby. */
  readonly acceptsStandby?: boolean;
  /** Applies no settings, because it is still unknown whether the connection keeps its session. */
  readonly isBare?: boolean;
  /** Called when the connection is lost. */
  readonly onLost?: (error: Error) => void;
}

type PendingStatement<R extends Row> = Pick<BoundStatement<R>, "statement" | "kind"> & {
  readonly values: readonly Bound[];
};

/** Time limits for opening and for closing a connection, in milliseconds. */
const connectMs = 5_000;
const endMs = 1_000;
/** Usual silence limit, for a server that doesn't even report a statement's timeout. */
const silenceMsUsual = 3_000;
/** Lets the server detect a client machine that has disappeared without closing the connection. */
const keepAliveSettings =
  "SET tcp_keepalives_idle TO 30; SET tcp_keepalives_interval TO 10; SET tcp_keepalives_count TO 3; SET tcp_user_timeout TO 15000";
/** The maximum number of statement texts with a prepared name. Others have none. */
const textsMax = 2_000;
/** The maximum number of statements in a batch, which is answered within the silence limit. */
const statementsMax = 64;

/** Prepared names: a statement is looked up by its object first, and then by its text. */
const names = new WeakMap<Statement, string>();
const namesOfTexts = new Map<string, string>();
const numbered = new WeakMap<Statement, string>();

function nameOf(statement: Statement): string | undefined {
  // Otherwise requests could use up the names, and the document's own statements had none.
  if (statement.isComposed) return undefined;
  let name = names.get(statement) ?? namesOfTexts.get(statement.sql);
  if (name === undefined && namesOfTexts.size < textsMax) {
    name = `n${namesOfTexts.size + 1}`;
    namesOfTexts.set(statement.sql, name);
  }
  if (name !== undefined) names.set(statement, name);
  return name;
}

/** Replaces the parameters `?` and `?1` of a statement by `$1`. */
function withNumbers(sql: string): string {
  let last = 0;
  return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?(\d*)/g, (found, number: string | undefined) => {
    if (!found.startsWith("?")) return found;
    if (number) return `$${number}`;
    last += 1;
    return `$${last}`;
  });
}

export class PostgresConnection {
  readonly locks: SessionLocks;
  readonly #client: pg.Client;
  readonly #silence: Silence;
  #lost: Error | undefined;
  #warnings = 0;
  readonly #pipelines: boolean;
  readonly #isAutocommit: boolean;
  readonly #namesStatements: boolean;
  /** Settings that each transaction must apply; empty if the session keeps them. */
  readonly #settings: string;
  /** Wraps statements outside a transaction, if each transaction may run in another session. */
  readonly #tickTransactions: TickTransactions | undefined;
  #isInTransaction = false;
  /** Row decoders of prepared statements, by their names. */
  readonly #shapes = new Map<string, Shape>();
  /** Statements of the current tick, which are sent together. */
  #waiting: QueuedStatement[] = [];

  private constructor(
    client: pg.Client,
    locks: (session: PostgresConnection) => SessionLocks,
    { pipelines, isAutocommit, namesStatements, settings, silenceMs, onLost }: Made,
  ) {
    this.locks = locks(this);
    this.#client = client;
    this.#pipelines = pipelines;
    this.#isAutocommit = isAutocommit;
    this.#namesStatements = namesStatements;
    this.#settings = settings;
    const send = (sql: string) => {
      this.#sendPipeline();
      return client.query(sql);
    };
    this.#tickTransactions = settings === "" ? undefined : new TickTransactions(send, settings);
    this.#silence = new Silence(silenceMs, () => this.#cut(new ConnectionTimeout(silenceMs)));
    const onConnectionLost = (error: Error): void => {
      if (this.#lost) return;
      this.#lost = error;
      onLost(error);
    };
    client.on("error", onConnectionLost);
    client.on("end", () => onConnectionLost(new Error("connection terminated")));
    client.on("notice", () => {
      this.#warnings += 1;
    });
  }

  /** @throws the error of the driver or the server; StandbyAnswers */
  static async open(address: PostgresAddress, options: ConnectionOptions): Promise<PostgresConnection> {
    const { way, listen, keepsNames, schema } = address;
    const { pipelines, statementMs, silenceMs = silenceMsUsual, isBare = false } = options;
    const { idleMs = 0, isAutocommit = false, onLost = () => {} } = options;
    const isPooled = listen !== undefined && options.needsSession !== true;
    const settings = isBare ? {} : settingsOf({ schema, statementMs });
    const { url, tls } = isPooled ? way : (listen ?? way);
    const client = new pg.Client({
      connectionString: url,
      ...(tls !== undefined && { ssl: tls }),
      connectionTimeoutMillis: connectMs,
      application_name: "ninefold",
      keepAlive: true,
      types: resultTypes,
      // A transaction around a statement adds two statements, so pipelining is required.
      ...(pipelines || isPooled ? { pipeline: true } : {}),
    });
    const locks = (session: PostgresConnection): SessionLocks => {
      if (address.hasAdvisoryLocks !== false) return new AdvisoryLocks(session, schema);
      const onLost = session.#cut.bind(session);
      const holder = { pipelines: false, statementMs, needsSession: true, onLost };
      return new TableLocks(session, () => PostgresConnection.open(address, holder), schema, idleMs);
    };
    const connection = new PostgresConnection(client, locks, {
      pipelines,
      isAutocommit: isAutocommit && !isPooled,
      namesStatements: !isPooled || isBare || keepsNames === true,
      settings: isPooled ? inStatements("SET LOCAL", settings) : "",
      silenceMs: statementMs === 0 ? 0 : statementMs + silenceMs,
      onLost,
    });
    try {
      await client.connect();
      const ofSession =
        isPooled || isBare
          ? ""
          : `${inStatements("SET", settings)}; SET idle_session_timeout TO ${idleMs}; ${keepAliveSettings}; `;
      const [row] = await connection.go(`${ofSession}SELECT pg_is_in_recovery()`);
      // A standby's results would be outdated.
      if (row?.[0] === true && options.acceptsStandby !== true) throw new StandbyAnswers();
      return connection;
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  /** The server's process ID of this session, received when the connection was opened. */
  get describedSession(): number | undefined {
    const client = this.#client;
    return "processID" in client && typeof client.processID === "number" ? client.processID : undefined;
  }

  /** Whether the connection accepts statements. */
  get isThere(): boolean {
    return this.#lost === undefined;
  }

  /** Executes a prepared statement. */
  async execute<R extends Row>({
    statement,
    values,
    kind,
  }: PendingStatement<R>): Promise<StatementResult<R>> {
    let text = numbered.get(statement);
    if (text === undefined) {
      text = withNumbers(statement.sql);
      numbered.set(statement, text);
    }
    return this.#query(text, values, nameOf(statement), kind);
  }

  /** Executes a statement under a prepared name, or unprepared if it has none. */
  executeAs<R extends Row>(
    { statement, values, kind }: PendingStatement<R>,
    name: string | undefined,
  ): Promise<StatementResult<R>> {
    return this.#query(withNumbers(statement.sql), values, name, kind);
  }

  /** Executes a statement with PostgreSQL's own parameter syntax. */
  queryRows<R extends Row>(statement: Statement<R>, values: readonly Bound[]): Promise<StatementResult<R>> {
    return this.#query(statement.sql, values, nameOf(statement), "all");
  }

  /** Starts a transaction. `then` has statements to send with it; its last rows are returned. */
  begin<R extends Row>(
    then: string,
    level: "READ COMMITTED" | "SERIALIZABLE" = "READ COMMITTED",
  ): Promise<readonly R[]> {
    this.#isInTransaction = true;
    return this.go(
      [`BEGIN ISOLATION LEVEL ${level}`, this.#settings, then]
        .filter((candidate) => candidate !== "")
        .join("; "),
    );
  }

  /** Returns the command tag: `ROLLBACK` for a COMMIT of a failed transaction. */
  end(command: "COMMIT" | "ROLLBACK"): Promise<string> {
    this.#isInTransaction = false;
    return this.command(command);
  }

  /** Runs several statements without parameters, and returns the rows of the last one with any. */
  async go<R extends Row>(sql: string): Promise<readonly R[]> {
    this.#sendPipeline();
    const results = await this.#withSilenceTimer(this.#client.query({ text: sql, rowMode: "array" }));
    const last = Array.isArray(results) ? results.at(-1) : results;
    return last?.rows ?? [];
  }

  /** Runs a statement, and returns the server's command tag. */
  async command(sql: string): Promise<string> {
    this.#sendPipeline();
    return (await this.#withSilenceTimer(this.#client.query(sql))).command;
  }

  /** The number of warnings that the server has sent on this connection. */
  get warnings(): number {
    return this.#warnings;
  }

  /** Sends the rows of a `COPY … FROM STDIN`, as one text. */
  copyIn(sql: string, rows: string): Promise<void> {
    if (this.#lost) return Promise.reject(this.#lost);
    this.#sendPipeline();
    return new Promise((resolve, reject) => {
      this.#client.query(new CopyIn(sql, rows, (error) => (error ? reject(error) : resolve())));
    });
  }

  async listen(channel: string, listener: (payload: string) => void): Promise<void> {
    this.#client.on("notification", (message) => {
      if (message.channel === channel) listener(message.payload ?? "");
    });
    this.#sendPipeline();
    await this.#client.query(`LISTEN ${quoted(channel)}`);
  }

  /** Closes the connection. If the server doesn't respond, the socket is destroyed. */
  async close(): Promise<void> {
    this.#lost ??= new Error("connection terminated");
    const over = machine.after(endMs, () => this.#cut(new Error("connection terminated")));
    if (this.locks instanceof TableLocks) await this.locks.close();
    await this.#client.end().catch(() => {});
    over();
  }

  #cut(why: Error): void {
    this.#lost ??= why;
    this.#client.connection.stream.destroy(why);
  }

  async #withSilenceTimer<T>(answer: Promise<T>): Promise<T> {
    this.#silence.begin();
    try {
      return await answer;
    } finally {
      this.#silence.end();
    }
  }

  async #query<R extends Row>(
    text: string,
    values: readonly Bound[],
    name: string | undefined,
    kind: BoundStatement["kind"],
  ): Promise<StatementResult<R>> {
    if (this.#lost) throw this.#lost;
    const execute = () => this.#sent<R>(text, values, this.#namesStatements ? name : undefined, kind);
    return this.#tickTransactions && !this.#isInTransaction
      ? this.#tickTransactions.within(execute)
      : execute();
  }

  async #sent<R extends Row>(
    text: string,
    values: readonly Bound[],
    name: string | undefined,
    kind: BoundStatement["kind"],
  ): Promise<StatementResult<R>> {
    const shape = this.#pipelines && name !== undefined ? this.#shapes.get(name) : undefined;
    if (name === undefined || shape === undefined) return this.#alone(text, values, name, kind);
    try {
      return await this.#together(name, shape, values, kind);
    } catch (error) {
      if (this.#isAutocommit && error instanceof NotExecuted) return this.#alone(text, values, name, kind);
      throw error;
    }
  }

  /** Executes a statement with the driver's own query, which prepares it if necessary. */
  async #alone<R extends Row>(
    text: string,
    values: readonly Bound[],
    name: string | undefined,
    kind: BoundStatement["kind"],
  ): Promise<StatementResult<R>> {
    this.#sendPipeline();
    const result = await this.#withSilenceTimer(
      this.#client.query({
        text,
        values: [...values],
        rowMode: "array",
        ...(name !== undefined && { name }),
      }),
    );
    if (name !== undefined)
      this.#shapes.set(
        name,
        result.fields.map(({ dataTypeID }) => resultTypes.getTypeParser(dataTypeID)),
      );
    return answerOf(result.rows, result.rowCount ?? 0, kind);
  }

  #together<R extends Row>(
    name: string,
    shape: Shape,
    values: readonly Bound[],
    kind: BoundStatement["kind"],
  ): Promise<StatementResult<R>> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) process.nextTick(() => this.#sendPipeline());
      const arrived = (rows: readonly Row[], count: number) => resolve(answerOf(rows, count, kind));
      this.#waiting.push({ name, shape, values, arrived, failed: reject });
      if (this.#waiting.length === statementsMax) this.#sendPipeline();
    });
  }

  #sendPipeline(): void {
    const passengers = this.#waiting;
    if (passengers.length === 0) return;
    this.#waiting = [];
    const socket = this.#client.connection.stream;
    this.#silence.begin();
    socket.cork();
    this.#client.query(new Pipeline(passengers, () => this.#silence.end()));
    socket.uncork();
  }
}

interface Made
  extends Pick<Required<ConnectionOptions>, "pipelines" | "isAutocommit" | "silenceMs" | "onLost"> {
  readonly namesStatements: boolean;
  readonly settings: string;
}

interface Setting extends Pick<ConnectionOptions, "statementMs"> {
  readonly schema: string;
}

/** Settings for the meaning of statements and the form of results, whatever the server has set. */
function settingsOf({ schema, statementMs }: Setting): Readonly<Record<string, string>> {
  return {
    standard_conforming_strings: "on",
    transform_null_equals: "off",
    default_transaction_isolation: "'read committed'",
    search_path: quoted(schema),
    timezone: "'UTC'",
    datestyle: "'ISO'",
    extra_float_digits: "1",
    jit: "off",
    statement_timeout: String(statementMs),
    client_min_messages: "warning",
  };
}

function inStatements(set: "SET" | "SET LOCAL", settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${set} ${name} TO ${value}`)
    .join("; ");
}

function answerOf<R extends Row>(
  rows: readonly Row[],
  changes: number,
  kind: BoundStatement["kind"],
): StatementResult<R> {
  return { rows: rows as readonly R[], changes, lastRow: kind === "change" ? Number(rows[0]?.[0] ?? 0) : 0 };
}

/** Silence timeout: one timer for all open statements of a connection. */
class Silence {
  readonly #limitMs: number;
  readonly #tooLong: () => void;
  #open = 0;
  #answers = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param limitMs 0 for no limit */
  constructor(limitMs: number, tooLong: () => void) {
    this.#limitMs = limitMs;
    this.#tooLong = tooLong;
  }

  begin(): void {
    this.#open += 1;
    if (this.#open === 1 && this.#limitMs > 0) this.#listen(this.#limitMs, () => this.#checkAgain());
  }

  end(): void {
    this.#open -= 1;
    this.#answers += 1;
    if (this.#open === 0) clearTimeout(this.#timer);
    else this.#timer?.refresh();
  }

  /** After a suspension of this process, the timer fires before a waiting answer is read. */
  #checkAgain(): void {
    const before = this.#answers;
    this.#listen(this.#limitMs / 10, () => {
      if (this.#answers === before) this.#tooLong();
      else this.#listen(this.#limitMs, () => this.#checkAgain());
    });
  }

  #listen(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms);
  }
}
