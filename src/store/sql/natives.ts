/** Native functions of a database: those with exactly the notation's meaning, by name. */
import type { Form } from "./form.ts";
import type { Sql } from "./fragment.ts";

/** The arguments of a function. Their number was checked when the expression was bound. */
type Arguments<T> = readonly [T, T, ...T[]];
export type Native = (args: Arguments<Sql>, forms: Arguments<Form>) => Sql | undefined;
export type Natives = Readonly<Record<string, Native>>;

/** A call of a native function; undefined if the database has no equivalent. */
export function callNative(
  natives: Natives,
  name: string,
  args: readonly Sql[],
  forms: readonly Form[],
): Sql | undefined {
  const native = Object.hasOwn(natives, name) ? natives[name] : undefined;
  return native?.(args as Arguments<Sql>, forms as Arguments<Form>);
}
