/**
 * Sign-ins during an attack: a number of connections try wrong passwords without a pause, each for a different
 * account, while people sign in with the right one. All use one address, which is the worst case: only the account
 * distinguishes them.
 *
 * The run counts the right sign-ins that were answered 200 and those that weren't, and how long they took; then 60
 * sign-ins at once, once the attack is over. All of both must be 200, where the machine is busy after the Retry-After
 * of a 503.
 *
 *   node test/durability/sign-ins.ts [attacking connections, 4 by default] [right sign-ins, 40]
 */
import { Agent, request } from "node:http";
import { setTimeout } from "node:timers/promises";
import { serveProcess } from "../clients/serve-command.ts";

const atOnce = 60;

export interface SignIns {
  readonly attackers: number;
  /** Wrong passwords that were answered 401, and those with any other status. */
  wrong: number;
  refused: number;
  /** Right passwords that were answered 200, and those with any other status. */
  letIn: number;
  keptOut: number;
  medianMs: number;
  slowestMs: number;
  /** The number of 200 responses to 60 concurrent sign-ins. */
  togetherLetIn: number;
  /** 503 responses: the password queue was full, or its wait too long for this machine. */
  busy: number;
}

export async function attackSignIns(attackers: number, rights: number): Promise<SignIns> {
  const names = Array.from({ length: 4 }, (_, at) => `user ${at}`);
  const service = await serveProcess(
    "test/durability/doors.md",
    names.map((name) => `User with name = "${name}", password = "right password"`),
  );
  const counts: SignIns = {
    attackers,
    wrong: 0,
    refused: 0,
    letIn: 0,
    keptOut: 0,
    medianMs: 0,
    slowestMs: 0,
    togetherLetIn: 0,
    busy: 0,
  };
  const agent = new Agent({ keepAlive: true, maxSockets: attackers + atOnce });
  const signIn = async (name: string, password: string): Promise<number> => {
    for (;;) {
      const { status, retryAfterSeconds } = await post(service.port, agent, { name, password });
      if (status !== 503) return status;
      counts.busy += 1;
      await setTimeout(retryAfterSeconds * 1000);
    }
  };
  let isOver = false;
  const attack = async (at: number) => {
    while (!isOver) {
      const status = await signIn(`guess ${at}`, `wrong ${at}`);
      if (status === 401) counts.wrong += 1;
      else counts.refused += 1;
    }
  };
  try {
    const attacking = Array.from({ length: attackers }, (_, at) => attack(at));
    const took: number[] = [];
    for (let at = 0; at < rights; at += 1) {
      const startedAt = performance.now();
      const status = await signIn(names[at % names.length] as string, "right password");
      took.push(performance.now() - startedAt);
      if (status === 200) counts.letIn += 1;
      else counts.keptOut += 1;
    }
    isOver = true;
    await Promise.all(attacking);
    took.sort((a, b) => a - b);
    counts.medianMs = Math.round(took[Math.floor(took.length / 2)] ?? 0);
    counts.slowestMs = Math.round(took.at(-1) ?? 0);
    const together = Array.from({ length: atOnce }, (_, at) =>
      signIn(names[at % names.length] as string, "right password"),
    );
    counts.togetherLetIn = (await Promise.all(together)).filter((status) => status === 200).length;
    return counts;
  } finally {
    agent.destroy();
    await service.close();
  }
}

function post(
  port: number,
  agent: Agent,
  body: object,
): Promise<{ readonly status: number; readonly retryAfterSeconds: number }> {
  return new Promise((resolve, reject) => {
    const requesting = request(
      {
        ...{ port, agent, method: "POST", path: "/sign-in" },
        headers: { "Content-Type": "application/json" },
      },
      (answer) => {
        answer.resume();
        answer.once("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            retryAfterSeconds: Number(answer.headers["retry-after"] ?? 1),
          }),
        );
      },
    );
    requesting.once("error", reject);
    requesting.end(JSON.stringify(body));
  });
}

if (import.meta.main) {
  const [attackers = 4, rights = 40] = process.argv.slice(2).map(Number);
  console.log(await attackSignIns(attackers, rights));
}
