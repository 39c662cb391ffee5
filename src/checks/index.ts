/** The checks: laws over the whole model, one file each, in the order in which they are asked. */
import type { Check } from "./check.ts";
import { alwaysThere } from "./always-there.ts";
import { borrowedMessage } from "./borrowed-message.ts";
import { embedsInvisible } from "./embeds-invisible.ts";
import { identifiedInOneText } from "./identified-in-one-text.ts";
import { identifierRepeats } from "./identifier-repeats.ts";
import { fileNotSent } from "./file-not-sent.ts";
import { immediateCircle } from "./immediate-circle.ts";
import { longInPlace } from "./long-in-place.ts";
import { muchWork } from "./much-work.ts";
import { neverCalled } from "./never-called.ts";
import { neverSent } from "./never-sent.ts";
import { partDefaultStored } from "./part-default-stored.ts";
import { recordAsJson } from "./record-as-json.ts";
import { oneCurrentVersion } from "./one-current-version.ts";
import { passwordsUnlimited } from "./passwords-unlimited.ts";
import { recordsOfEvents } from "./records-of-events.ts";
import { setCircle } from "./set-circle.ts";
import { shapeNamesUnknown } from "./shape-names-unknown.ts";
import { streamTellsEverybody } from "./stream-tells-everybody.ts";
import { streamEndsUnsent } from "./stream-ends-unsent.ts";
import { tokenUnsigned } from "./token-unsigned.ts";
import { tokensAlike } from "./tokens-alike.ts";
import { unanswerableExpressions } from "./unanswerable-expressions.ts";
import { webhooksTellEverybody } from "./webhooks-tell-everybody.ts";
import { visibleForgotten } from "./visible-forgotten.ts";
import { refusedDefault } from "./refused-default.ts";
import { repeatedCondition } from "./repeated-condition.ts";
import { scenarioTwice } from "./scenario-twice.ts";
import { storedFromThere } from "./stored-from-there.ts";
import { versionsWithoutScheme } from "./versions-without-scheme.ts";

export const checks: readonly Check[] = [
  scenarioTwice,
  refusedDefault,
  repeatedCondition,
  oneCurrentVersion,
  versionsWithoutScheme,
  storedFromThere,
  visibleForgotten,
  embedsInvisible,
  streamTellsEverybody,
  webhooksTellEverybody,
  streamEndsUnsent,
  neverSent,
  recordsOfEvents,
  neverCalled,
  immediateCircle,
  alwaysThere,
  fileNotSent,
  borrowedMessage,
  identifierRepeats,
  identifiedInOneText,
  partDefaultStored,
  recordAsJson,
  setCircle,
  tokensAlike,
  tokenUnsigned,
  passwordsUnlimited,
  unanswerableExpressions,
  shapeNamesUnknown,
  muchWork,
  longInPlace,
];
