/** Holds the requests at a port until the service is open, and then passes them on. */
import type { RequestRefusal, ServiceHandler, ServiceResponse } from "../../engine/http/message.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";

export interface RequestAnswerer {
  fetch: ServiceHandler;
  refuse(refusal: RequestRefusal): Awaitable<ServiceResponse>;
}

export interface Gate extends RequestAnswerer {
  open(answers: RequestAnswerer): void;
  /** Holds further requests until the next opening. */
  shut(): void;
}

export function createGate(): Gate {
  let opened = Promise.withResolvers<RequestAnswerer>();
  let answers: Awaitable<RequestAnswerer> = opened.promise;
  return {
    fetch: (request) => after(answers, (item) => item.fetch(request)),
    refuse: (refusal) => after(answers, (item) => item.refuse(refusal)),
    open(answerer) {
      answers = answerer;
      opened.resolve(answerer);
    },
    shut() {
      if (answers === opened.promise) return;
      opened = Promise.withResolvers();
      answers = opened.promise;
    },
  };
}
