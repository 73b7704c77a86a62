# SPDX-License-Identifier: Apache-2.0
{
  description = "Lisle, an MPI-5.0 library whose ranks are processes, threads or fibers";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      source = ../..;
      version = builtins.head (builtins.match ".*project\\(lisle VERSION ([0-9.]+).*" (builtins.readFile (source + "/CMakeLists.txt")));
    in
    {
      packages = forEach (pkgs: {
        default = pkgs.stdenv.mkDerivation {
          pname = "lisle";
          inherit version;
          src = source;
          nativeBuildInputs = with pkgs; [ cmake ninja python3 gfortran ];
          buildInputs = with pkgs; [ (boost.override { enableStatic = true; }) libfabric pmix fmt cli11 ];
          cmakeFlags = [ "-DLISLE_TESTS=OFF" "-DLISLE_EXAMPLES=OFF" "-DCMAKE_INSTALL_LIBDIR=lib" "-DCMAKE_INSTALL_INCLUDEDIR=include" ];
          meta = {
            description = "An MPI-5.0 library whose ranks are processes, threads or fibers";
            license = pkgs.lib.licenses.asl20;
            platforms = systems;
          };
        };
      });
    };
}
