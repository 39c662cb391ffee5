/** Ends the process that changes a schema, before one of its statements. */
import pg from "pg";

export interface Cut {
  /** The number of statements that were sent. */
  readonly statements: number;
  /** Whether the process was ended. */
  readonly isCut: boolean;
  restore(): void;
}

/**
 * Counts the statements of the session that changes a schema, from the first one under its lock.
 * @param end is called before the statement of the number, which isn't sent then
 */
export function cutBefore(number: number, end: (client: pg.Client) => void): Cut {
  const { query } = pg.Client.prototype;
  let changing: pg.Client | undefined;
  let statements = 0;
  let isCut = false;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [requested] = given as [{ readonly text?: string } | string];
    const text = typeof requested === "string" ? requested : (requested?.text ?? "");
    if (!changing && text.startsWith("SELECT EXISTS (SELECT FROM pg_class")) changing = this;
    if (this === changing) {
      statements += 1;
      if (statements === number) {
        isCut = true;
        end(this);
      }
    }
    return (query as (...given: unknown[]) => unknown).apply(this, given);
  } as typeof query;
  return {
    get statements() {
      return statements;
    },
    get isCut() {
      return isCut;
    },
    restore() {
      pg.Client.prototype.query = query;
    },
  };
}

/** Closes the connection without a message, like the death of a process. */
export function hangUp(client: pg.Client): void {
  (
    client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
  ).connection.stream.destroy();
}
