/* Test only: the one function of bcryptprimitives.dll that Rust's standard library needs and Wine 8.0 has
 * not. Built beside the tests that run under Wine; on Windows the system's own is used. */
typedef unsigned char byte;
byte __stdcall SystemFunction036(void *buffer, unsigned long length);

__declspec(dllexport) int __stdcall ProcessPrng(byte *buffer, unsigned long long length)
{
    return SystemFunction036(buffer, (unsigned long)length);
}
