/**
 * For every test file (`--import`): the test runner follows each promise, with a hook that is called when it is collected, to know of which
 * test an error is that nothing caught. That takes a fifth of the processor time of the whole gate, and up to half of what awaits much.
 * Without it such an error fails its file, and is printed here with its stack.
 */
import hooks from "node:async_hooks";

if (process.env["NODE_TEST_CONTEXT"] !== undefined) {
  const { createHook } = hooks;
  hooks.createHook = (callbacks) => {
    if (Object.keys(callbacks).join() !== "init,destroy") return createHook(callbacks);
    hooks.createHook = createHook;
    return createHook({});
  };
  const print = (error: unknown) => {
    process.stderr.write(`Nothing caught: ${error instanceof Error ? error.stack : String(error)}\n`);
  };
  process.on("uncaughtExceptionMonitor", print).on("unhandledRejection", print);
}
