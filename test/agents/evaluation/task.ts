/** Tasks of the evaluation: what an agent receives, and what a machine judges. */
export type Files = Readonly<Record<string, string>>;

export interface Task {
  readonly name: string;
  readonly kind: "write" | "import" | "change" | "explain" | "migrate" | "imitate";
  /** The text that the agent reads. It states the names, paths and codes that the judge uses. */
  readonly text: string;
  /** The files at the start. */
  readonly start: Files;
  readonly judge: Judge;
  /** An answer that the judge accepts. */
  readonly right: Files;
  /** Answers that the judge rejects, each by its mistake. */
  readonly wrong: Readonly<Record<string, Files>>;
}

export type Judge =
  /** `service.md` has no error, and the judge's scenarios pass in it. */
  | { readonly by: "scenarios"; readonly scenarios: string; readonly isCompatibleWith?: string }
  /** As above, and stored records of the old document can be migrated. */
  | { readonly by: "migration"; readonly scenarios: string; readonly from: string }
  /** `answer.json` has the line of the document that decided a response. */
  | { readonly by: "line"; readonly line: number }
  /** The service's own client library works against `service.md`. */
  | { readonly by: "library"; readonly library: "replicate" | "openai" };

/** The text with each of these pieces replaced. @throws if a piece doesn't occur exactly once */
export function edited(text: string, edits: readonly (readonly [find: string, replace: string])[]): string {
  return edits.reduce((before, [find, replace]) => {
    if (before.split(find).length !== 2)
      throw new Error(`"${find}" occurs ${before.split(find).length - 1} times.`);
    return before.replace(find, () => replace);
  }, text);
}

interface Sent {
  readonly headers?: string;
  readonly body?: unknown;
}

/** One exchange of a scenario. */
export function exchange(request: string, { headers, body }: Sent, status: number, answer?: unknown): string {
  const sent = [request, ...(headers === undefined ? [] : [headers])].join("\n");
  const text = body === undefined ? "" : `\n\n${JSON.stringify(body)}`;
  const received = answer === undefined ? "" : `\n\n${JSON.stringify(answer)}`;
  return `\`\`\`http\n${sent}${text}\n\`\`\`\n\n\`\`\`http\nHTTP/1.1 ${status}${received}\n\`\`\`\n`;
}

export function scenario(...steps: readonly string[]): string {
  return `### Scenario: judged\n\n${steps.map((step) => step.trimEnd()).join("\n\n")}\n`;
}
