/**
 * Checks that run only if no mistake was reported: they would miss what a mistake left out of the
 * model.
 */
export { tokenUnsigned } from "./authentication/token-unsigned.ts";
export { nextPageUnknown } from "./endpoints/next-page-unknown.ts";
export { parentNotLookedUp } from "./endpoints/parent-not-looked-up.ts";
export { computedUnchecked } from "./resources/computed-unchecked.ts";
export { unreadInput } from "./endpoints/unread-input.ts";
export { unusedShape } from "./endpoints/unused-shape.ts";
export { borrowedMessage } from "./errors/borrowed-message.ts";
export { failsDecided } from "./endpoints/fails-decided.ts";
export { neverMatched } from "./errors/never-matched.ts";
export { unknownType } from "./events/unknown-type.ts";
export { neverSent } from "./events/never-sent.ts";
export { longInPlace } from "./expressions/statement-size.ts";
export { nullDecides } from "./expressions/null-decisions.ts";
export { expensiveStatement } from "./expressions/statement-cost.ts";
export { shapeNamesUnknown } from "./expressions/shape-unknown.ts";
export { unanswerableExpressions } from "./expressions/unanswerable-expressions.ts";
export { pastVisible } from "./resources/past-visible.ts";
export { immediateCircle } from "./states/immediate-circle.ts";
export { neverCalled } from "./states/never-called.ts";
