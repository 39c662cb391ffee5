/** Why the diagnostics of part 8 are reported. */
import type { limitsCodes } from "../codes/limits.ts";
import type { ReasonsOf } from "./shared.ts";

export const limitsReasons: ReasonsOf<typeof limitsCodes> = {
  "limits/unknown-limit":
    "The server enforces a fixed list of limits. A row for any other would protect nothing.",
  "limits/repeated-limit":
    "Headers and errors name a limit. A client would not know which of the two it has reached.",
  "limits/default-over-maximum":
    "A request without a page size would exceed the maximum, so every such request would be rejected.",
  "limits/ambiguous-reference":
    "The quota would be counted by one reference or the other, and stop the wrong users.",
  "limits/no-reference": "The records have no such reference, so the server could not count them by it.",
  "limits/strangers-unlimited":
    "Callers without a credential can send as many requests as they like, and slow down the service for all.",
  "limits/passwords-unlimited":
    "An attacker can try passwords as fast as the server answers, until one is right.",
};
