/** What the client is called as a package. */
import { kebab } from "../wire/names.ts";

export function packageName(title: string): string {
  return kebab(`${title} client`);
}
