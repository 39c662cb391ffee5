/** Keys of inputs: identify an input of an endpoint in maps. */
import type { Input } from "../../model/model.ts";

/** Place and dotted name of an input. */
export function inputKey({ in: place, name }: Pick<Input, "in" | "name">): string {
  return `${place} ${name.join(".")}`;
}
