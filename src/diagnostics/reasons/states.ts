/** Why the diagnostics of part 3 are reported. */
import type { statesCodes } from "../codes/states.ts";
import type { ReasonsOf } from "./shared.ts";

export const statesReasons: ReasonsOf<typeof statesCodes> = {
  "states/duplicate-machine":
    "A record has one state. With two sets of rules, an operation could be allowed by one and rejected by the other.",
  "states/no-machine":
    "The items under this heading would belong to no resource, so the guards and effects in them would never run.",
  "states/identifier-as-state":
    "The identifier never changes, and a state does. Clients would lose the record with its first transition.",
  "states/state-without-field":
    "The state of a record is stored in its state field. Without one, no record could be in this state.",
  "states/unsound-state":
    "States are used in responses, in filters and in expressions. Other characters could not be read back there.",
  "states/repeated-state":
    "The second has no effect. It may have been meant to be another state, from which the transition would then be rejected.",
  "states/unreached-state":
    "No record can ever get into this state, so the transitions from it never run and clients never receive it.",
  "states/never-called":
    "Records stay in the state before it for ever, because no client and no other change can trigger the transition.",
  "states/row-without-name":
    "Endpoints and effects call a transition by its name. Nothing could call this one.",
  "states/reserved-transition":
    "`Does` and `When` use this word for something else, so an endpoint could not name the transition.",
  "states/unknown-end":
    "The transition never leads to this state, so what is written here would never apply.",
  "states/never-taken":
    "The server uses the first row whose guard holds. Records never get into the state of this one.",
  "states/second-guard":
    "The server would evaluate one of the two, and a caller could take the transition against the other.",
  "states/trigger-without-states":
    "The time would be counted from a change that never happens, so the transition would never run.",
  "states/immediate-circle":
    "One request would run these transitions without end. The server stops such a request with an error.",
  "states/repeated-clause":
    "The second clause would replace or contradict the first, and the effect would change other records than the author meant.",
  "states/copies-secret":
    "A copy would be stored and returned in plain text, so a reader of the record or of a backup could act as its owner.",
  "states/not-assignable": "The change would be lost, or would break references to the record.",
  "states/required-cleared":
    "The server would reject the change as invalid each time, so the operation could never succeed.",
  "states/incomplete-create":
    "The server would reject the new record as invalid each time, so the operation could never succeed.",
  "states/upsert-without-key":
    "The server would not know whether the record exists, so each request would create another.",
  "states/assigned-twice": "Effects of one change happen together, so the stored value would be undefined.",
  "states/no-record": "The endpoint acts on no record, so there is no field to set.",
  "states/unknown-target":
    "The effect would set nothing, and the record would keep its old value without an error.",
  "states/ambiguous-target":
    "The effect could change the field or the record, and the wrong one would be stored.",
  "states/not-a-reference": "The field refers to no other record, so the effect could change nothing.",
  "states/as-of-many":
    "The name would mean many records at once, and a later effect would not know which to change.",
  "states/not-a-list": "The effect is to run once for each element, and this has none.",
};
