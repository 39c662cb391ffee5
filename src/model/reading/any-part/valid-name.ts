/** Valid names of resources, fields and transitions, as authors choose them. */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import { nameForm } from "../../../support/name-form.ts";

/** Names with a special meaning in JavaScript. */
const reservedNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Whether the name is valid. If not, it is reported; `what` names its kind. */
export function isSoundName(name: Phrase, what: string, reporter: Reporter): boolean {
  if (nameForm.test(name.text) && !reservedNames.has(name.text)) return true;
  reporter.report("resources/unsound-name", positionIn(name), {
    name: name.text,
    what,
    reserved: reservedNames.has(name.text),
  });
  return false;
}
