/** Names that an author makes up, of resources, fields and transitions. */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";

/** Names stand in SQL, routes, files and JSON: short, ASCII, and none that JavaScript gives a meaning of its own. */
const namePattern = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const reservedNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Reports a name that can't be one; `what` says of what. */
export function isSoundName(name: Phrase, what: string, reporter: Reporter): boolean {
  if (namePattern.test(name.text) && !reservedNames.has(name.text)) return true;
  reporter.report("resources/unsound-name", positionIn(name), {
    name: name.text,
    what,
    reserved: reservedNames.has(name.text),
  });
  return false;
}
