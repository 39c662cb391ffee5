/** The functions that a database has with exactly the notation's meaning, by name; what isn't there it doesn't have. */
import type { Form } from "./form.ts";
import type { Sql } from "./fragment.ts";

/** The number of arguments was checked when the expression was bound: a function that takes one reads no more. */
type Arguments<T> = readonly [T, T, ...T[]];
export type Native = (args: Arguments<Sql>, forms: Arguments<Form>) => Sql | undefined;
export type Natives = Readonly<Record<string, Native>>;

export function callNative(
  natives: Natives,
  name: string,
  args: readonly Sql[],
  forms: readonly Form[],
): Sql | undefined {
  const native = Object.hasOwn(natives, name) ? natives[name] : undefined;
  return native?.(args as Arguments<Sql>, forms as Arguments<Form>);
}
