# Homebrew's formula: scripts/package fills in addresses and checksums.
class Brisk < Formula
  desc "List, measure, compare and remove large file trees"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/brisk-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:brisk-aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/brisk-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:brisk-x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/brisk-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:brisk-aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/brisk-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:brisk-x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "brisk", "brisk-scan", "brisk-look"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/brisk"
    zsh_completion.install "completions/_brisk"
    fish_completion.install "completions/brisk.fish"
    doc.install "CHANGELOG.md", "SECURITY.md", "docs"
  end

  test do
    (testpath/"a/file").write "text"
    assert_match "a/file", shell_output("#{bin}/brisk find . #{testpath}")
    assert_match "a/file", shell_output("#{bin}/brisk scan #{testpath} -o - --as csv")
  end
end
