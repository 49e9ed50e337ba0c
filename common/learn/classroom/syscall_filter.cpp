#include "learn/classroom/syscall_filter.hpp"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <vector>

namespace tut::learn {

#if defined(__x86_64__)

int open_syscall_filter() {
  constexpr auto kRefused = std::to_array<unsigned>({SYS_ptrace,
                                                     SYS_process_vm_readv,
                                                     SYS_process_vm_writev,
                                                     SYS_socket,
                                                     SYS_socketpair,
                                                     SYS_mount,
                                                     SYS_umount2,
                                                     SYS_pivot_root,
                                                     SYS_chroot,
                                                     SYS_unshare,
                                                     SYS_setns,
                                                     SYS_bpf,
                                                     SYS_perf_event_open,
                                                     SYS_userfaultfd,
                                                     SYS_keyctl,
                                                     SYS_add_key,
                                                     SYS_request_key,
                                                     SYS_io_uring_setup,
                                                     SYS_io_uring_enter,
                                                     SYS_io_uring_register,
                                                     SYS_kexec_load,
                                                     SYS_init_module,
                                                     SYS_finit_module,
                                                     SYS_delete_module,
                                                     SYS_open_by_handle_at,
                                                     SYS_pidfd_getfd,
                                                     SYS_kcmp,
                                                     SYS_reboot,
                                                     SYS_swapon,
                                                     SYS_swapoff,
                                                     SYS_acct,
                                                     SYS_quotactl});
  constexpr unsigned kX32 = 0x40000000;
  std::vector<sock_filter> program = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  for (const unsigned call : kRefused) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));

  const int file = memfd_create("filter", MFD_CLOEXEC);
  if (file < 0) return -1;
  const std::size_t bytes = program.size() * sizeof(sock_filter);
  if (write(file, program.data(), bytes) != static_cast<ssize_t>(bytes) ||
      lseek(file, 0, SEEK_SET) != 0) {
    close(file);
    return -1;
  }
  return file;
}

#else

int open_syscall_filter() { return -1; }

#endif

}  // namespace tut::learn
