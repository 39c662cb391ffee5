/** Valid names of resources, fields and transitions, as authors choose them. */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import { nameForm } from "../../../support/name-form.ts";

/** JavaScript gives them a meaning of its own. */
const reservedNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Reports an invalid name; `what` names its kind. */
export function isSoundName(name: Phrase, what: string, reporter: Reporter): boolean {
  if (nameForm.test(name.text) && !reservedNames.has(name.text)) return true;
  reporter.report("resources/unsound-name", positionIn(name), {
    name: name.text,
    what,
    reserved: reservedNames.has(name.text),
  });
  return false;
}
