/** The checks: laws over the whole model, one file each, in the order in which they are asked. */
import type { Check } from "./check.ts";
import { embedsInvisible } from "./embeds-invisible.ts";
import { identifiedInOneText } from "./identified-in-one-text.ts";
import { identifierRepeats } from "./identifier-repeats.ts";
import { neverSent } from "./never-sent.ts";
import { partDefaultStored } from "./part-default-stored.ts";
import { streamTellsEverybody } from "./stream-tells-everybody.ts";
import { streamEndsUnsent } from "./stream-ends-unsent.ts";
import { unanswerableExpressions } from "./unanswerable-expressions.ts";
import { webhooksTellEverybody } from "./webhooks-tell-everybody.ts";
import { visibleForgotten } from "./visible-forgotten.ts";

export const checks: readonly Check[] = [
  visibleForgotten,
  embedsInvisible,
  streamTellsEverybody,
  webhooksTellEverybody,
  streamEndsUnsent,
  neverSent,
  identifierRepeats,
  identifiedInOneText,
  partDefaultStored,
  unanswerableExpressions,
];
