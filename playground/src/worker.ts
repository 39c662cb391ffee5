/**
 * The worker of the playground. It listens at once, and loads the compiler and the engine
 * meanwhile.
 */
import "../platform/globals.ts";
import type { Answer, Question } from "./protocol.ts";

const loading = import("./handlers.ts");

/** In order: a request after an edit must reach the new service. */
let last: Promise<unknown> = Promise.resolve();

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  const { id, method, params } = data;
  last = last.then(async () => {
    let answer: Answer;
    try {
      const { handlers } = await loading;
      answer = { id, answer: await handlers[method](params as never) };
    } catch (error) {
      answer = { id, error: error instanceof Error ? error.message : String(error) };
    }
    postMessage(answer);
  });
});
