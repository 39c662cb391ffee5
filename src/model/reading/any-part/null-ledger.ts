/** A ledger without effect, for reading a part before its turn. */
import type { LedgerBuilder } from "./context.ts";

export const nullLedger: LedgerBuilder = {
  state: () => {},
  none: () => {},
  notShown: () => {},
  gap: (part, item, subject, position) => ({ part, item, subject, position }),
  finish: () => [],
};
