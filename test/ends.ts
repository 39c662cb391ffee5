/**
 * For every test file (`--import`): one that doesn't end, for a test waits for something or what is left keeps the process alive, is ended and
 * has failed, with what it held. Else the whole run would wait for it for ever.
 */
if (process.env["NODE_TEST_CONTEXT"] !== undefined) {
  /** Far beyond what any file takes, also on a busy machine. */
  const endMs = Number(process.env["NINEFOLD_TEST_ENDS_MS"] ?? 900_000);
  setTimeout(() => {
    const held = process.getActiveResourcesInfo().join(", ");
    process.stderr.write(
      `${process.argv[1]} has not ended within ${endMs / 1000} seconds. It held ${held}.\n`,
    );
    process.exit(1);
  }, endMs).unref();
  // A process that ends by itself closes its handles one by one, in which Node 24 may loop for ever; one that exits does not. Registered behind
  // the runner's own listeners, which set the exit code.
  process.once("beforeExit", () => process.once("exit", () => process.exit()));
}
