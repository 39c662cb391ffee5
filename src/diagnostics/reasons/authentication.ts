/** Why the diagnostics of part 5 are reported. */
import type { authenticationCodes } from "../codes/authentication.ts";
import type { ReasonsOf } from "./shared.ts";

export const authenticationReasons: ReasonsOf<typeof authenticationCodes> = {
  "authentication/repeated-scheme":
    "Endpoints name the schemes that they accept. A request could be authenticated by the one that the author did not mean.",
  "authentication/not-a-credential":
    "Several records can have the same value, so the server could identify the wrong caller.",
  "authentication/not-a-reference":
    "The field leads to no record, so the server could not say who the caller is.",
  "authentication/unknown-algorithm":
    "The server could not verify a signature, so it would have to accept every token or none.",
  "authentication/wrong-key":
    "The algorithm can't verify a signature with a key of this kind, so every token would be rejected.",
  "authentication/signed-without-claim":
    "The server would verify the token and not know whose it is, so every request would be rejected.",
  "authentication/ends-without-token":
    "The item ends tokens that the service has issued. For credentials of other kinds it does nothing, though a reader would rely on it.",
  "authentication/token-outlives-password":
    "After a password was stolen and changed, a token of the thief keeps working until it expires.",
  "authentication/places-and-fields":
    "The server would not know which part of the request to compare with which field, so no caller could sign in.",
  "authentication/caller-no-record":
    "Rules compare fields of the caller. A plain value has none, so no rule could be evaluated.",
  "authentication/different-callers":
    "A rule about the caller would be evaluated on a record of one kind or another, and might allow what it should reject.",
  "authentication/token-unsigned":
    "The server signs the tokens that it issues. Without a secret each request for a token would fail.",
  "authentication/tokens-alike":
    "A client that has a token for one scheme is accepted by the other, as another caller.",
};
