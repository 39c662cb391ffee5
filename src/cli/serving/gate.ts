/**
 * Holds requests at a port until there is a service: they wait, and are answered as soon as it
 * opens.
 */
import type { RequestRefusal, ServiceHandler, ServiceResponse } from "../../engine/http/message.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";

export interface Answers {
  fetch: ServiceHandler;
  refuse(refusal: RequestRefusal): Awaitable<ServiceResponse>;
}

export interface Gate extends Answers {
  open(answers: Answers): void;
  /** From now on requests wait for the next opening. */
  shut(): void;
}

export function createGate(): Gate {
  let opened = Promise.withResolvers<Answers>();
  let answers: Awaitable<Answers> = opened.promise;
  return {
    fetch: (request) => after(answers, (item) => item.fetch(request)),
    refuse: (refusal) => after(answers, (item) => item.refuse(refusal)),
    open(those) {
      answers = those;
      opened.resolve(those);
    },
    shut() {
      if (answers === opened.promise) return;
      opened = Promise.withResolvers();
      answers = opened.promise;
    },
  };
}
