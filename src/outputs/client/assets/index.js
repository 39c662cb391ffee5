/**
 * The runtime that the modules of this package use. It is written by hand, and the same in every
 * package that `ninefold export client` makes.
 */
export { ApiError } from "./api-error.js";
export { call, open } from "./call.js";
export { list } from "./list.js";
export { stream } from "./stream.js";
export { DeadEnd, until, WaitedInVain } from "./until.js";
export { NotGenuine, verify } from "./webhook.js";
