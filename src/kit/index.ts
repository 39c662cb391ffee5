/**
 * Public test kit (`ninefold/testing`): a document as a sandbox for suites in any runner, a data
 * space for each test, and a webhook receiver.
 *
 *   const sandbox = await startSandbox({ document: "desk.md", seed: "desk.seed.md" });
 *   await using space = await sandbox.space();
 *   const answer = await space.fetch("/v1/tickets");
 */
export { type Received, type Receiver, type ReceiverOptions, startReceiver } from "./receiver.ts";
export type { IsSignatureValid, SignatureScheme, SignedWebhook } from "./signatures.ts";
export { joinSandbox, type Sandbox, type SandboxOptions, startSandbox } from "./sandbox.ts";
export type { SandboxAddress } from "./sandbox-address.ts";
export type { Failure, FaultOrder, JsonObject, Space, SpaceClock, SpaceFault } from "./space.ts";
