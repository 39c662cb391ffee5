/** The package name of the client. */
import { kebab } from "../wire/names.ts";

export function packageName(title: string): string {
  return kebab(`${title} client`);
}
