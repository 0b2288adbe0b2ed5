/** The image without a container engine: its layers in a folder, and a command that runs there as an engine would run it. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { systemTool } from '../../scripts/tools/system-tool.ts';
import { runCommand } from '../support/servers/command.ts';

type Descriptor = { readonly digest: string; readonly size: number };
export type ImageConfig = {
  readonly config: {
    readonly User: string;
    readonly Entrypoint: readonly string[];
    readonly Env: readonly string[];
    readonly WorkingDir: string;
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
};
export type UnpackedImage = { readonly architecture: string; readonly root: string; readonly about: ImageConfig };

async function untar(file: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { code, stderr } = await runCommand(['tar', '-xpf', file, '-C', folder, '--same-owner']);
  if (code !== 0) throw new Error(stderr);
}

/** Every blob has the size and the digest that its descriptor says. */
export async function unpackImage(file: string, folder: string): Promise<UnpackedImage[]> {
  const layout = join(folder, 'layout');
  await untar(file, layout);
  const pathOf = ({ digest }: Descriptor) => join(layout, 'blobs', digest.replace(':', '/'));
  function read<Content>(descriptor: Descriptor): Content {
    const bytes = readFileSync(pathOf(descriptor));
    const digest = `sha256:${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}`;
    if (digest !== descriptor.digest || bytes.length !== descriptor.size) throw new Error(`${digest} is damaged`);
    return bytes as Content;
  }
  const json = <Content>(descriptor: Descriptor) => JSON.parse(read<Buffer>(descriptor).toString()) as Content;

  type Index = { readonly manifests: readonly (Descriptor & { readonly platform: { architecture: string } })[] };
  const [named] = (JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as Index).manifests;
  if (named === undefined) throw new Error('the image has no manifest');
  const images: UnpackedImage[] = [];
  for (const { platform, ...manifest } of json<Index>(named).manifests) {
    const { config, layers } = json<{ config: Descriptor; layers: Descriptor[] }>(manifest);
    const about = json<ImageConfig>(config);
    const root = join(folder, platform.architecture);
    for (const [index, layer] of layers.entries()) {
      const tar = gunzipSync(read<Buffer>(layer));
      const digest = `sha256:${new Bun.CryptoHasher('sha256').update(tar).digest('hex')}`;
      if (digest !== about.rootfs.diff_ids[index]) throw new Error(`layer ${index} has another digest: ${digest}`);
      await untar(pathOf(layer), root);
    }
    images.push({ architecture: platform.architecture, root, about });
  }
  return images;
}

/**
 * A command in the image: with a root that is read-only except for /data, which is a volume, and /tmp, which is in memory. The mounts are
 * not visible outside. It needs to be root.
 */
export function inImage({ root, about }: UnpackedImage, command: readonly string[]): string[] {
  const steps = [
    `mkdir -p ${root}/proc ${root}/dev`,
    `mount --bind ${root} ${root}`,
    ...['proc', 'dev'].map((name) => `mount --rbind /${name} ${root}/${name}`),
    `mount --bind ${root}/data ${root}/data`,
    `mount -t tmpfs -o mode=1777 none ${root}/tmp`,
    `mount -o remount,bind,ro ${root}`,
    `exec env -i ${about.config.Env.join(' ')} ${systemTool('chroot')} --userspec=${about.config.User} ${root} "$@"`,
  ];
  return ['unshare', '--mount', 'sh', '-c', steps.join(' && '), 'sh', ...command];
}

export const mayMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  Bun.spawnSync(['unshare', '--mount', 'true'], { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0;
