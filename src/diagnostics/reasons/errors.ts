/** Why the diagnostics of part 7 are reported. */
import type { errorsCodes } from "../codes/errors.ts";
import type { ReasonsOf } from "./shared.ts";

export const errorsReasons: ReasonsOf<typeof errorsCodes> = {
  "errors/unknown-condition":
    "The server reports errors by a fixed list of conditions. A row for any other would never be used.",
  "errors/unknown-subject":
    "No error is about something that the document does not declare, so the row would never be used.",
  "errors/unknown-type": "No input has a type that does not exist, so the row would never be used.",
  "errors/type-of-no-input":
    "Errors of this condition have no input whose type could be compared, so the row would never be used.",
  "errors/never-about":
    "Errors of this condition have no record, so the row would never be used. Clients would receive the code of another.",
  "errors/text-payload":
    "A payload that is not a text is sent as JSON. Clients would read it in the format of the media type, and fail.",
  "errors/never-matched":
    "No request can cause this error, so clients never receive this code, though the documentation lists it.",
  "errors/never-named":
    "No request can cause this error, so clients never receive this code, though the documentation lists it.",
  "errors/borrowed-message":
    "The client receives a message that was written for another error, and looks for the reason in the wrong place.",
  "errors/no-error-status":
    "Clients, caches and proxies decide by the status whether a request failed. They would take this error for a success or a redirect.",
  "errors/unclosed-brace":
    "The rest of the message would be read as an expression, and the client would receive no message.",
  "errors/repeated-condition":
    "The server uses the first row that fits. Clients would never receive the code of the second.",
  "errors/repeated-code":
    "`Fails` names a row by its code. It could mean either, with another status or message.",
  "errors/idle-row":
    "Without a condition and a code nothing can select the row, so clients never receive it.",
  "errors/shape-of-record":
    "An error has no such value, so the payload could not be built and the client would receive a failure instead.",
  "errors/taken-column":
    "Expressions read the cells of an own column by its name. With this name they would read the built-in value.",
};
