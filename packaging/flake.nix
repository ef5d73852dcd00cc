# Builds brisk from the checkout above: nix build '.?dir=packaging'
{
  description = "List, measure, compare and remove large file trees";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      workspace = (builtins.fromTOML (builtins.readFile ../Cargo.toml)).workspace;
      build = pkgs: pkgs.rustPlatform.buildRustPackage {
        pname = "brisk";
        version = workspace.package.version;
        src = ../.;
        cargoLock.lockFile = ../Cargo.lock;
        cargoBuildFlags = [ "-p" "brisk-cli" "-p" "brisk-scan" "-p" "brisk-look" ];
        # The tests need GNU's programs, FUSE and Wine: scripts/test runs them.
        doCheck = false;
        nativeBuildInputs = [ pkgs.installShellFiles ];
        postInstall = ''
          "$out/bin/brisk" man man
          installManPage man/*.1
          for shell in bash zsh fish; do
            "$out/bin/brisk" completions "$shell" > "brisk.$shell"
          done
          installShellCompletion brisk.{bash,zsh,fish}
        '';
        meta = {
          description = "List, measure, compare and remove large file trees";
          license = with pkgs.lib.licenses; [ mit asl20 ];
          mainProgram = "brisk";
        };
      };
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: {
        default = build nixpkgs.legacyPackages.${system};
      });
    };
}
