/** A ledger that keeps nothing, for looking at a part before it is its turn to speak. */
import type { LedgerBuilder } from "./context.ts";

export const forgetfulLedger: LedgerBuilder = {
  state: () => {},
  none: () => {},
  notShown: () => {},
  gap: (part, item, subject, position) => ({ part, item, subject, position }),
  finish: () => [],
};
