/** Calls the worker: one promise for each call, answered in order. */
import type { Answer, Method, Methods, Question } from "./protocol.ts";

const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });

const waiting = new Map<number, { resolve(answer: never): void; reject(error: Error): void }>();
let last = 0;

worker.addEventListener("message", ({ data: { id, answer, error } }: MessageEvent<Answer>) => {
  const call = waiting.get(id);
  waiting.delete(id);
  if (error === undefined) call?.resolve(answer as never);
  else call?.reject(new Error(error));
});

worker.addEventListener("error", ({ message }) => {
  for (const call of waiting.values()) call.reject(new Error(message));
  waiting.clear();
});

/** @throws Error with the worker's message */
export function call<M extends Method>(
  method: M,
  params: Methods[M]["params"],
): Promise<Methods[M]["answer"]> {
  last += 1;
  const question: Question = { id: last, method, params };
  return new Promise((resolve, reject) => {
    waiting.set(question.id, { resolve, reject });
    worker.postMessage(question);
  });
}
