import { execFile } from "node:child_process";
import { appendFile, chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRepository, plainGit } from "./repositories.ts";

/** A repository that names a program of its own wherever git lets it. */
export interface HostileRepository {
  folder: string;
  /** Its `.git/config`, for tests that move it elsewhere. */
  settings: string;
  /** Names of the programs that ran. */
  ran(): Promise<string[]>;
}

/** Armor that begins a signature, by the setting that names the program which checks it. */
const SIGNATURES = {
  "gpg.program": "PGP SIGNATURE",
  "gpg.ssh.program": "SSH SIGNATURE",
  "gpg.x509.program": "SIGNED MESSAGE",
} as const;

const ATTRIBUTES =
  "*.txt diff=odd filter=odd=name merge=odd\n*.long filter=long diff=odd\n";

/** Creates one. Each program leaves a file with its name behind when it runs. */
export async function createHostileRepository(): Promise<HostileRepository> {
  const folder = await createRepository();
  const traces = join(folder, "..", "traces");
  const programs = join(folder, "..", "programs");
  await mkdir(traces);
  await mkdir(programs);
  const program = async (name: string, place = programs): Promise<string> => {
    const path = join(place, name);
    await writeFile(path, `#!/bin/sh\n: > ${traces}/${name}\n`);
    await chmod(path, 0o755);
    return path;
  };
  await addSubmodule(folder);
  await addMerge(folder);
  await addSignedCommits(folder);
  await turnSubmodule(folder, await program("in-submodule"));
  await writeFile(join(folder, "a.txt"), "three\n");
  await writeFile(join(folder, "b.long"), "long\n");
  await writeFile(join(folder, ".gitattributes"), ATTRIBUTES);
  await writeFile(join(folder, ".git/info/attributes"), ATTRIBUTES);
  for (const hook of ["post-index-change", "reference-transaction"])
    await program(hook, join(folder, ".git/hooks"));
  const settings = await hostileSettings(program);
  await writeFile(join(folder, ".git/config"), settings);
  return { folder, settings, ran: () => readdir(traces) };
}

async function hostileSettings(
  program: (name: string) => Promise<string>,
): Promise<string> {
  const commands = "blame branch diff grep log show status tag".split(" ");
  const pager = await program("pager");
  const alias = await program("alias");
  return `[core]
	repositoryformatversion = 0
	fsmonitor = ${await program("fsmonitor")}
	pager = ${pager}
	editor = ${await program("editor")}
	sshCommand = ${await program("ssh")}
	askPass = ${await program("askpass")}
	gitProxy = ${await program("proxy")}
	alternateRefsCommand = ${await program("alternate-refs")}
[diff]
	external = ${await program("external")}
	autoRefreshIndex = true
	submodule = diff
	ignoreSubmodules = none
[diff "odd"]
	command = ${await program("command")}
	textconv = ${await program("textconv")}
[filter "odd=name"]
	clean = ${await program("clean")}
	smudge = ${await program("smudge")}
	required = true
[filter "long"]
	process = ${await program("process")}
[merge "odd"]
	driver = ${await program("merge")} %A
[gpg]
	program = ${await program("gpg")}
[gpg "ssh"]
	program = ${await program("gpg-ssh")}
	defaultKeyCommand = ${await program("gpg-key")}
	allowedSignersFile = /dev/null
[gpg "x509"]
	program = ${await program("gpg-x509")}
[log]
	showSignature = true
	diffMerges = remerge
[interactive]
	diffFilter = ${await program("interactive")}
[credential]
	helper = !${await program("credential")}
[sequence]
	editor = ${await program("sequence")}
[status]
	submoduleSummary = true
[submodule]
	recurse = true
[submodule "sub"]
	ignore = none
	active = true
[trailer "odd"]
	command = ${await program("trailer")}
[remote "origin"]
	url = ext::${await program("transport")}
	uploadpack = ${await program("upload-pack")}
	promisor = true
	partialclonefilter = blob:none
${commands.map((name) => `[pager]\n\t${name} = ${pager}\n[alias]\n\t${name} = !${alias}\n`).join("")}`;
}

async function addSubmodule(folder: string): Promise<void> {
  const inner = await createRepository();
  await plainGit(
    folder,
    ...["-c", "protocol.file.allow=always", "submodule", "--quiet"],
    ...["add", inner, "sub"],
  );
  await appendFile(join(folder, ".gitmodules"), "\tignore = none\n");
  await plainGit(folder, "add", ".gitmodules");
  await plainGit(folder, "commit", "-qm", "Add a submodule");
}

/** Has the submodule name a program in its own configuration, with changes that git would have to look at. */
async function turnSubmodule(folder: string, program: string): Promise<void> {
  const sub = join(folder, "sub");
  await plainGit(sub, "commit", "-q", "--allow-empty", "-m", "Three");
  // As many bytes as before: git has to filter it to know whether it changed.
  await writeFile(join(sub, "a.txt"), "new\n");
  await writeFile(join(sub, ".gitattributes"), "* filter=odd diff=odd\n");
  await appendFile(
    join(folder, ".git/modules/sub/config"),
    `[core]
	fsmonitor = ${program}
[filter "odd"]
	clean = ${program}
[diff]
	external = ${program}
[diff "odd"]
	textconv = ${program}
`,
  );
}

/** A merge in which both sides changed the same line. */
async function addMerge(folder: string): Promise<void> {
  await plainGit(folder, "stash", "push", "-q");
  await plainGit(folder, "switch", "-qc", "side");
  await writeFile(join(folder, "a.txt"), "side\n");
  await plainGit(folder, "commit", "-qam", "Side");
  await plainGit(folder, "switch", "-q", "main");
  await writeFile(join(folder, "a.txt"), "main\n");
  await plainGit(folder, "commit", "-qam", "Main");
  await plainGit(folder, "merge", "-q", "side").catch(() => {});
  await writeFile(join(folder, "a.txt"), "both\n");
  await plainGit(folder, "add", "a.txt");
  await plainGit(folder, "commit", "-qm", "Merge");
}

/** Commits with forged signatures, one for each program that would check it. */
async function addSignedCommits(folder: string): Promise<void> {
  const commit = await plainGit(folder, "cat-file", "commit", "HEAD");
  const unsigned = commit.replace(/^parent .*\n/gm, "");
  for (const armor of Object.values(SIGNATURES)) {
    const parent = (await plainGit(folder, "rev-parse", "HEAD")).trim();
    const signature = `gpgsig -----BEGIN ${armor}-----\n \n x\n -----END ${armor}-----\n`;
    const signed = unsigned
      .replace("\n", `\nparent ${parent}\n`)
      .replace("\n\n", `\n${signature}\n`);
    const hash = await hashObject(folder, signed);
    await plainGit(folder, "update-ref", "refs/heads/main", hash);
  }
}

async function hashObject(folder: string, commit: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      ["hash-object", "-t", "commit", "-w", "--stdin"],
      { cwd: folder },
      (error, stdout) => (error ? reject(error) : resolve(stdout.trim())),
    );
    child.stdin?.end(commit);
  });
}
