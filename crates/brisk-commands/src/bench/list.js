const list = async (dir) => {
  for await (const { name, isDirectory } of Deno.readDir(dir)) {
    console.log(`${dir}/${name}`);
    if (isDirectory) await list(`${dir}/${name}`);
  }
};
await list(Deno.args[0]);
