/** Why the diagnostics of part 9 are reported. */
import type { versioningCodes } from "../codes/versioning.ts";
import type { ReasonsOf } from "./shared.ts";

export const versioningReasons: ReasonsOf<typeof versioningCodes> = {
  "versioning/stored-repeated":
    "A store remembers by name which steps it has run. It would run only one of the two.",
  "versioning/stored-empty":
    "The step would change nothing, and stores would remember it as done. A change that is added later would never be made.",
  "versioning/stored-not-there":
    "After this step there is nothing of this name, so the server could not write the stored values into it.",
  "versioning/stored-still-there": "The step would delete stored values that the service still returns.",
  "versioning/stored-twice":
    "The stored values would be moved a second time, from a name that no longer exists.",
  "versioning/stored-contradiction":
    "The items of a step have no order, so the stored value would depend on which runs first.",
  "versioning/stored-elsewhere":
    "A rename keeps each value in its record. Here the server would not know which record should receive it.",
  "versioning/stored-not-values":
    "Only a `one of` field has a known set of values. In any other field the server does not know which stored values are meant.",
  "versioning/stored-of-value":
    "The value is stored in other records, too. They would keep the old form, and could not be read any more.",
  "versioning/stored-effect":
    "The step works on one record after another. It could change a record that was already processed, or one that follows.",
  "versioning/stored-no-request":
    "The step runs when the server starts. There is no request, no caller and no module to take a value from.",
  "versioning/stored-reach":
    "The referenced record has not been written yet, so the expression would read nothing.",
  "versioning/stored-not-before":
    "Before this step the store has no values of this name, so the expression would read nothing.",
  "versioning/stored-upsert":
    "The server would not know whether the record exists, so each run would create another.",
  "versioning/stored-not-stored":
    "A computed field has no stored values, so the step would have nothing to change.",
  "versioning/stored-from-there":
    "Only stores that ran this step long ago are accepted, so it never runs again.",
  "versioning/unknown-version":
    "No request can select a version that the table does not list, so the rule would never apply.",
  "versioning/unknown-status":
    "The server decides by the status which versions it serves and which it announces as ending.",
  "versioning/unknown-input":
    "The endpoint has no such input, so the change would apply to nothing and old clients would break.",
  "versioning/repeated-version":
    "The two rows can differ in status and end date, and clients would not know how long the version is served.",
  "versioning/no-current":
    "The document describes the newest version, and all others by their changes. Without it the server would not know what any client receives.",
  "versioning/second-current":
    "The document describes one version. A client of the other would receive the same, whatever changed.",
  "versioning/current-until":
    "On this date the server would stop serving the version that the document describes.",
  "versioning/prefix-twice":
    "Clients would have to write the version twice in each address. Those that follow the documentation receive 404.",
  "versioning/versions-without-scheme":
    "Old clients receive the current version, and break with its changes.",
  "versioning/changes-in-oldest":
    "Changes are undone for clients of earlier versions. There are none, so nothing is undone.",
  "versioning/required-unknown":
    "A client of that version can't send a value that it does not know, so each of its requests is rejected.",
  "versioning/replaced-selects":
    "`new` converts what older clients send, one value to one, so they would miss records, or receive them in another order. A conversion keeps the order if it only adds numbers, or multiplies and divides by them.",
  "versioning/renamed-elsewhere":
    "Clients of the old version look for the value in another resource. A new name can't bring it there.",
  "versioning/said-twice":
    "The two lines can say different things. Old clients would receive what one of them says.",
  "versioning/still-there":
    "Clients of the new version would still receive what the document says is removed.",
};
