/** COPY … FROM STDIN as a custom query of the driver. */

/** The methods of the driver's connection that COPY uses. */
interface CopyWay {
  query(sql: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Sends all rows as one text, and reports when they are stored or the server's error. */
export class CopyIn {
  readonly #sql: string;
  readonly #rows: string;
  readonly #end: (error?: Error) => void;
  #failed: Error | undefined;
  /** The driver reads this property of each query, and calls it if the connection is lost. */
  callback = (error?: Error | null): void => this.#end(error ?? undefined);

  constructor(sql: string, rows: string, end: (error?: Error) => void) {
    this.#sql = sql;
    this.#rows = rows;
    this.#end = end;
  }

  submit(connection: unknown): void {
    (connection as CopyWay).query(this.#sql);
  }

  handleCopyInResponse(connection: CopyWay): void {
    connection.sendCopyFromChunk(Buffer.from(this.#rows));
    connection.endCopyFrom();
  }

  handleError(error: Error): void {
    this.#failed = error;
    this.#end(error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    if (!this.#failed) this.#end();
  }
}
