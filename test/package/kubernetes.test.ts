/**
 * Kubernetes manifests: they match the schemas of the API, and agree with each other and with the
 * image. If `kubectl` is installed, it renders both folders. `test/deployment/containers.ts` runs
 * their commands.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { ownFolder } from "../own-folder.ts";
import { pathOf, textOf } from "../repository/repository.ts";
import { faultsOf } from "./kubernetes-schemas.ts";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of the API judge it.
  readonly spec: any;
}

const folders = ["sqlite", "postgres"] as const;

function manifestsOf(path: string): readonly Manifest[] {
  return parseAllDocuments(textOf(`deploy/kubernetes/${path}`)).map((document) => document.toJS());
}

const lacksKubectl = spawnSync("kubectl", ["version", "--client"]).status !== 0 && "kubectl isn't installed";

const files = globSync("*/*.yaml", { cwd: pathOf("deploy/kubernetes") }).filter(
  (path) => !path.endsWith("kustomization.yaml"),
);

for (const path of files)
  test(`${path} matches the schemas of the API`, () => {
    const manifests = manifestsOf(path);
    assert.ok(manifests.length > 0);
    for (const manifest of manifests) assert.deepEqual(faultsOf(manifest), [], manifest.kind);
  });

test("the schemas reject an unknown member, a wrong type and a missing member", () => {
  const [service] = manifestsOf("sqlite/service.yaml");
  assert.ok(service);
  const withSpec = (spec: object) => faultsOf({ ...service, spec: { ...service.spec, ...spec } } as Manifest);
  assert.match(withSpec({ imagine: 1 }).join(), /imagine/);
  assert.match(withSpec({ selector: 1 }).join(), /selector must be object/);
  assert.match(withSpec({ ports: [{ name: "http" }] }).join(), /required property 'port'/);
});

for (const folder of folders) {
  const manifests = globSync("*.yaml", { cwd: pathOf(`deploy/kubernetes/${folder}`) })
    .filter((name) => name !== "kustomization.yaml")
    .flatMap((name) => manifestsOf(`${folder}/${name}`));
  const kustomization = parse(textOf(`deploy/kubernetes/${folder}/kustomization.yaml`));
  const pods: readonly { readonly labels?: object; readonly spec: Manifest["spec"] }[] = manifests.flatMap(
    ({ spec }) => {
      const template = spec?.template ?? spec?.jobTemplate?.spec.template;
      return template === undefined ? [] : [{ labels: template.metadata?.labels, spec: template.spec }];
    },
  );

  const served = pods.find(({ labels }) => labels !== undefined);

  test(`${folder}: everything that the manifests name exists: ports, volumes, settings, documents, pods`, () => {
    const generated = [...kustomization.configMapGenerator, ...kustomization.secretGenerator].map(
      ({ name }) => name,
    );
    const claims = manifests
      .filter(({ kind }) => kind === "PersistentVolumeClaim")
      .map(({ metadata }) => metadata.name);
    const templates = manifests
      .flatMap(({ spec }) => spec?.volumeClaimTemplates ?? [])
      .map(({ metadata }) => metadata.name);
    for (const { spec } of pods) {
      const volumes = spec.volumes.map(({ name }: { name: string }) => name);
      for (const { configMap, persistentVolumeClaim } of spec.volumes) {
        if (configMap) assert.ok(generated.includes(configMap.name), configMap.name);
        if (persistentVolumeClaim) assert.ok(claims.includes(persistentVolumeClaim.claimName));
      }
      for (const container of spec.containers) {
        for (const { name } of container.volumeMounts)
          assert.ok([...volumes, ...templates].includes(name), name);
        for (const { secretRef } of container.envFrom ?? []) assert.ok(generated.includes(secretRef.name));
        const ports = (container.ports ?? []).map(({ name }: { name: string }) => name);
        for (const probe of [container.livenessProbe, container.readinessProbe])
          if (probe) assert.ok(ports.includes(probe.httpGet.port));
      }
    }
    const [service] = manifests.filter(({ kind }) => kind === "Service");
    assert.deepEqual(served?.labels, service?.spec.selector);
  });

  test(`${folder}: every container runs without privileges, writes only to volumes, and has limits`, () => {
    for (const { spec } of pods) {
      assert.equal(spec.securityContext.runAsNonRoot, true);
      assert.equal(spec.automountServiceAccountToken, false);
      for (const { securityContext, resources } of spec.containers) {
        assert.deepEqual(securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        assert.ok(resources.limits.memory);
      }
    }
  });

  test(`${folder}: a service starts with the settings of the image and of the manifest`, () => {
    const [container] = served?.spec.containers ?? [];
    const image = [...(/^ENV (.+)$/m.exec(textOf("deploy/Dockerfile"))?.[1] ?? "").matchAll(/(\w+)=(\S+)/g)];
    const own = container.env.map(({ name, value }: { name: string; value: string }) => [name, value]);
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        pathOf("bin/ninefold"),
        "serve",
        ...container.args.map((word: string) =>
          word === "service.md" ? pathOf("examples/helpdesk.md") : word,
        ),
        "--check-config",
      ],
      {
        cwd: ownFolder(`kubernetes-${folder}`),
        env: {
          ...process.env,
          ...Object.fromEntries(image.map(([, name, value]) => [name, value])),
          ...Object.fromEntries(own),
          NINEFOLD_OPERATIONS_TOKEN: "t".repeat(40),
          ...(folder === "postgres" && { NINEFOLD_STORE: "postgres://ninefold:secret@database/ninefold" }),
        },
        encoding: "utf8",
      },
    );
    assert.equal(status, 0, stderr);
    // The grace period covers the delay, the running requests, and a margin.
    const words = container.args.join(" ");
    const drain = Number(/--drain-delay (\d+)s/.exec(words)?.[1] ?? 0) + 25;
    assert.ok(served?.spec.terminationGracePeriodSeconds > drain);
  });

  test(`${folder}: kubectl renders it, with its ingress`, { skip: lacksKubectl }, () => {
    const place = ownFolder(`kustomize-${folder}`);
    cpSync(pathOf("deploy/kubernetes"), place, { recursive: true });
    const own = join(place, folder);
    writeFileSync(join(own, "service.md"), textOf("examples/helpdesk.md"));
    writeFileSync(join(own, "service.env"), "NINEFOLD_STORE=postgres://ninefold@database/ninefold\n");
    appendFileSync(join(own, "kustomization.yaml"), "components: [../ingress]\n");
    const text = execFileSync("kubectl", ["kustomize", own], { encoding: "utf8" });
    const rendered: readonly Manifest[] = parseAllDocuments(text).map((document) => document.toJS());
    for (const manifest of rendered) assert.deepEqual(faultsOf(manifest), [], manifest.kind);
    for (const kind of ["ConfigMap", "Secret", "Ingress", "NetworkPolicy"])
      assert.ok(
        rendered.some((manifest) => manifest.kind === kind),
        kind,
      );
    const { version } = JSON.parse(textOf("package.json"));
    assert.ok(text.includes(`image: registry.example.com/ninefold:${version}\n`));
    // A changed document gets another name, so that Kubernetes replaces the pods.
    assert.match(text, /name: ninefold-document-[a-z0-9]{10}/);
  });
}
