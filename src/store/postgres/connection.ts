/** Connections to PostgreSQL: how they are set up, and their prepared statements. The only file of the store that knows the driver. */
import pg from "pg";
import type { Answer, BoundStatement, Row, Statement } from "../rows/steps.ts";
import { CopyIn } from "./copy-in.ts";
import { quoted } from "../sql/fragment.ts";
import type { PostgresAddress } from "./address.ts";
import { StandbyAnswers, ConnectionTimeout } from "./failures.ts";
import { resultTypes } from "./forms.ts";
import { TurnTransactions } from "./pooled.ts";
import { AfterFailure, type Bound, type QueuedStatement, type Shape, Pipeline } from "./pipeline.ts";
import { machine } from "../../support/machine.ts";

export interface ConnectionOptions {
  /** Statements are sent without waiting for the answers of those before. */
  readonly pipelines: boolean;
  /** How long one statement may take, in milliseconds; 0 for as long as it takes. */
  readonly statementMs: number;
  /** How long nothing may come beyond that before the connection counts as lost, in milliseconds. */
  readonly silenceMs?: number;
  /**
   * The server ends the session after this time without a statement, in milliseconds: a client that sends statements
   * regularly is then disconnected or stalled.
   */
  readonly idleMs?: number;
  /** No statement is part of a transaction: one that wasn't run because another had failed before it is sent again. */
  readonly isApart?: boolean;
  /** Something of it is to last beyond a transaction: a lock, a channel that it listens on. A pooler is passed by. */
  readonly needsSession?: boolean;
  /** Whether it must be a standby, or may be any server. */
  readonly mayStandBy?: boolean;
  /** Sets nothing, because it is unknown yet whether the connection has a session. */
  readonly isBare?: boolean;
  /** Called when the connection is lost. */
  readonly onLost?: (error: Error) => void;
}

type PendingStatement<R extends Row> = Pick<BoundStatement<R>, "statement" | "kind"> & {
  readonly values: readonly Bound[];
};

/** How long a connection may take to be made, and to be ended, in milliseconds. */
const connectMs = 5_000;
const endMs = 1_000;
/** The server ends each statement in its time. If its error doesn't arrive either, the connection is lost. */
const silenceMsUsual = 3_000;
/** How the server detects that the client's machine has disappeared without closing the connection. */
const findsTheGone =
  "SET tcp_keepalives_idle TO 30; SET tcp_keepalives_interval TO 10; SET tcp_keepalives_count TO 3; SET tcp_user_timeout TO 15000";
/** The maximum number of texts with a named prepared statement; any others are prepared each time. */
const textsMax = 2_000;
/** Most statements that are sent together: all are answered when the last one is, and in that time something must be heard. */
const passengersMax = 64;

/** By a statement's object for prepared ones; by their text for others. */
const names = new WeakMap<Statement, string>();
const namesOfTexts = new Map<string, string>();
const numbered = new WeakMap<Statement, string>();

function nameOf(statement: Statement): string | undefined {
  let name = names.get(statement) ?? namesOfTexts.get(statement.sql);
  if (name === undefined && namesOfTexts.size < textsMax) {
    name = `n${namesOfTexts.size + 1}`;
    namesOfTexts.set(statement.sql, name);
  }
  if (name !== undefined) names.set(statement, name);
  return name;
}

/** The text with `$1` where the statement has `?` or `?1`. */
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
  readonly #client: pg.Client;
  readonly #silence: Silence;
  #lost: Error | undefined;
  #warnings = 0;
  readonly #pipelines: boolean;
  readonly #isApart: boolean;
  readonly #namesStatements: boolean;
  /** The settings of a transaction; none if the session has them. */
  readonly #settings: string;
  /** Set where each transaction may use another session: it wraps the statements outside a transaction. */
  readonly #ofTurns: TurnTransactions | undefined;
  #isInTransaction = false;
  /** How to decode the rows of prepared statements, by name. */
  readonly #shapes = new Map<string, Shape>();
  /** Statements of the same tick, which are sent together. */
  #waiting: QueuedStatement[] = [];

  private constructor(
    client: pg.Client,
    { pipelines, isApart, namesStatements, settings, silenceMs, onLost }: Made,
  ) {
    this.#client = client;
    this.#pipelines = pipelines;
    this.#isApart = isApart;
    this.#namesStatements = namesStatements;
    this.#settings = settings;
    const send = (sql: string) => {
      this.#depart();
      return client.query(sql);
    };
    this.#ofTurns = settings === "" ? undefined : new TurnTransactions(send, settings);
    this.#silence = new Silence(silenceMs, () => this.#cut(new ConnectionTimeout(silenceMs)));
    const lost = (error: Error): void => {
      if (this.#lost) return;
      this.#lost = error;
      onLost(error);
    };
    client.on("error", lost);
    client.on("end", () => lost(new Error("connection terminated")));
    client.on("notice", () => {
      this.#warnings += 1;
    });
  }

  /** @throws the error of the driver or the server, StandbyAnswers */
  static async open(
    { way, listen, keepsNames, schema }: PostgresAddress,
    options: ConnectionOptions,
  ): Promise<PostgresConnection> {
    const { pipelines, statementMs, silenceMs = silenceMsUsual, isBare = false } = options;
    const { idleMs = 0, isApart = false, onLost = () => {} } = options;
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
      // A transaction around each statement is three of them.
      ...(pipelines || isPooled ? { pipeline: true } : {}),
    });
    const connection = new PostgresConnection(client, {
      pipelines,
      isApart: isApart && !isPooled,
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
          : `${inStatements("SET", settings)}; SET idle_session_timeout TO ${idleMs}; ${findsTheGone}; `;
      const [row] = await connection.go(`${ofSession}SELECT pg_is_in_recovery()`);
      // Its results would be outdated.
      if (row?.[0] === true && options.mayStandBy !== true) throw new StandbyAnswers();
      return connection;
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  /** The server's process number, received when the connection was made. */
  get describedSession(): number | undefined {
    const client = this.#client;
    return "processID" in client && typeof client.processID === "number" ? client.processID : undefined;
  }

  /** Whether the connection accepts statements. */
  get isThere(): boolean {
    return this.#lost === undefined;
  }

  /** One prepared statement. */
  async execute<R extends Row>({ statement, values, kind }: PendingStatement<R>): Promise<Answer<R>> {
    let text = numbered.get(statement);
    if (text === undefined) {
      text = withNumbers(statement.sql);
      numbered.set(statement, text);
    }
    return this.#query(text, values, nameOf(statement), kind);
  }

  /** One statement, prepared under this name, or for this once. */
  executeAs<R extends Row>(
    { statement, values, kind }: PendingStatement<R>,
    name: string | undefined,
  ): Promise<Answer<R>> {
    return this.#query(withNumbers(statement.sql), values, name, kind);
  }

  /** A statement with PostgreSQL's parameter syntax. */
  queryRows<R extends Row>(statement: Statement<R>, values: readonly Bound[]): Promise<Answer<R>> {
    return this.#query(statement.sql, values, nameOf(statement), "all");
  }

  /** Starts a transaction. @param then further statements of it; the rows of the last one are returned */
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

  /** Ends it, and returns the result: a COMMIT after a failure returns `ROLLBACK`, and no error. */
  end(command: "COMMIT" | "ROLLBACK"): Promise<string> {
    this.#isInTransaction = false;
    return this.command(command);
  }

  /** Several statements without parameters, one behind the other. Answers the rows of the last one that has any. */
  async go<R extends Row>(sql: string): Promise<readonly R[]> {
    this.#depart();
    const results = await this.#heard(this.#client.query({ text: sql, rowMode: "array" }));
    const last = Array.isArray(results) ? results.at(-1) : results;
    return last?.rows ?? [];
  }

  /** Returns the command tag of the server. */
  async command(sql: string): Promise<string> {
    this.#depart();
    return (await this.#heard(this.#client.query(sql))).command;
  }

  /** The number of warnings of the server on this connection. */
  get warnings(): number {
    return this.#warnings;
  }

  /** Sends the rows of a `COPY … FROM STDIN`, as one text. */
  copyIn(sql: string, rows: string): Promise<void> {
    if (this.#lost) return Promise.reject(this.#lost);
    this.#depart();
    return new Promise((resolve, reject) => {
      this.#client.query(new CopyIn(sql, rows, (error) => (error ? reject(error) : resolve())));
    });
  }

  async listen(channel: string, listener: (payload: string) => void): Promise<void> {
    this.#client.on("notification", (message) => {
      if (message.channel === channel) listener(message.payload ?? "");
    });
    this.#depart();
    await this.#client.query(`LISTEN ${quoted(channel)}`);
  }

  /** Closes it; if the server doesn't respond, the socket is destroyed. */
  async close(): Promise<void> {
    this.#lost ??= new Error("connection terminated");
    const over = machine.after(endMs, () => this.#cut(new Error("connection terminated")));
    await this.#client.end().catch(() => {});
    over();
  }

  #cut(why: Error): void {
    this.#lost ??= why;
    this.#client.connection.stream.destroy(why);
  }

  async #heard<T>(answer: Promise<T>): Promise<T> {
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
  ): Promise<Answer<R>> {
    if (this.#lost) throw this.#lost;
    const execute = () => this.#sent<R>(text, values, this.#namesStatements ? name : undefined, kind);
    return this.#ofTurns && !this.#isInTransaction ? this.#ofTurns.within(execute) : execute();
  }

  async #sent<R extends Row>(
    text: string,
    values: readonly Bound[],
    name: string | undefined,
    kind: BoundStatement["kind"],
  ): Promise<Answer<R>> {
    const shape = this.#pipelines && name !== undefined ? this.#shapes.get(name) : undefined;
    if (name === undefined || shape === undefined) return this.#alone(text, values, name, kind);
    try {
      return await this.#together(name, shape, values, kind);
    } catch (error) {
      if (this.#isApart && error instanceof AfterFailure) return this.#alone(text, values, name, kind);
      throw error;
    }
  }

  /** By the driver's own means, which prepare it where that is still to be done. */
  async #alone<R extends Row>(
    text: string,
    values: readonly Bound[],
    name: string | undefined,
    kind: BoundStatement["kind"],
  ): Promise<Answer<R>> {
    this.#depart();
    const result = await this.#heard(
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
  ): Promise<Answer<R>> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) process.nextTick(() => this.#depart());
      const arrived = (rows: readonly Row[], count: number) => resolve(answerOf(rows, count, kind));
      this.#waiting.push({ name, shape, values, arrived, failed: reject });
      if (this.#waiting.length === passengersMax) this.#depart();
    });
  }

  #depart(): void {
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

interface Made extends Pick<Required<ConnectionOptions>, "pipelines" | "isApart" | "silenceMs" | "onLost"> {
  readonly namesStatements: boolean;
  readonly settings: string;
}

interface Setting extends Pick<ConnectionOptions, "statementMs"> {
  readonly schema: string;
}

/**
 * Settings that statements and their results depend on, whatever the server, the database or the
 * user has set.
 */
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
): Answer<R> {
  return { rows: rows as readonly R[], changes, lastRow: kind === "change" ? Number(rows[0]?.[0] ?? 0) : 0 };
}

/**
 * Silence timeout: limits how long a connection with open statements may receive nothing, with one timer for all of
 * them.
 */
class Silence {
  readonly #limitMs: number;
  readonly #tooLong: () => void;
  #open = 0;
  #answers = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param limitMs 0 for as long as it takes */
  constructor(limitMs: number, tooLong: () => void) {
    this.#limitMs = limitMs;
    this.#tooLong = tooLong;
  }

  begin(): void {
    this.#open += 1;
    if (this.#open === 1 && this.#limitMs > 0) this.#listen(this.#limitMs, () => this.#lookAgain());
  }

  end(): void {
    this.#open -= 1;
    this.#answers += 1;
    if (this.#open === 0) clearTimeout(this.#timer);
    else this.#timer?.refresh();
  }

  /** A process that stood still itself may have the answer waiting, and reads it after its timers. */
  #lookAgain(): void {
    const before = this.#answers;
    this.#listen(this.#limitMs / 10, () => {
      if (this.#answers === before) this.#tooLong();
      else this.#listen(this.#limitMs, () => this.#lookAgain());
    });
  }

  #listen(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms);
  }
}
