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
 * From the statement on by which somebody takes the turn to change a schema, that one's statements are counted.
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
    if (!changing && text.startsWith("SELECT pg_try_advisory_lock(")) changing = this;
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
