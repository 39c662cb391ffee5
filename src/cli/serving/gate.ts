/** Holds the requests at a port until the service is open, and then passes them on. */
import type { RequestRefusal, ServiceHandler, ServiceResponse } from "../../engine/http/message.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";

export interface Answers {
  fetch: ServiceHandler;
  refuse(refusal: RequestRefusal): Awaitable<ServiceResponse>;
}

export interface Gate extends Answers {
  open(answers: Answers): void;
  /** Holds further requests until the next opening. */
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
