/** Order of questions: the one whose answer enables the most endpoints comes first. */
import type { BlockingQuestions } from "./blocking-questions.ts";
import type { Question } from "./questions.ts";

export interface RankedQuestion extends Question {
  /** Endpoints that respond once this question and those before it are answered. */
  readonly opens: readonly string[];
}

/** Greedy: each step takes the question with the most opened endpoints per answer. */
export function ordered(
  questions: readonly Question[],
  needed: BlockingQuestions,
): readonly RankedQuestion[] {
  const waiting = new Map([...needed].map(([endpoint, ids]) => [endpoint, new Set(ids)]));
  // Fields of resources come last, except those that block an endpoint.
  const awaited = new Set([...needed.values()].flatMap((ids) => [...ids]));
  const isLast = ({ id, kind }: Question): boolean => kind === "fields" && !awaited.has(id);
  const left = new Set(questions.filter((question) => !isLast(question)));
  const ranked: RankedQuestion[] = [];
  const rank = (question: Question): void => {
    const opens: string[] = [];
    for (const [endpoint, ids] of waiting) {
      ids.delete(question.id);
      if (ids.size > 0) continue;
      opens.push(endpoint);
      waiting.delete(endpoint);
    }
    left.delete(question);
    ranked.push({ ...question, opens });
  };
  while (left.size > 0) rank(next([...left], [...waiting.values()]));
  for (const question of questions.filter(isLast)) rank(question);
  return ranked;
}

const levels = ["likely", "possible", "named", "open"];

function next(questions: readonly Question[], waiting: readonly ReadonlySet<string>[]): Question {
  const scores = new Map<string, { opens: number; nears: number }>();
  for (const ids of waiting)
    for (const id of ids) {
      const score = scores.get(id) ?? { opens: 0, nears: 0 };
      scores.set(id, {
        opens: score.opens + (ids.size === 1 ? 1 : 0),
        nears: score.nears + 1 / (ids.size * ids.size),
      });
    }
  const rank = ({ id, level, answers }: Question): readonly number[] => {
    const { opens, nears } = scores.get(id) ?? { opens: 0, nears: 0 };
    return [opens / answers, nears / answers, -levels.indexOf(level)];
  };
  return questions.reduce((best, question) => (isHigher(rank(question), rank(best)) ? question : best));
}

function isHigher(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at !== -1 && (a[at] ?? 0) > (b[at] ?? 0);
}
